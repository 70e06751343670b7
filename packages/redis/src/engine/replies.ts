/**
 * Reads replies. Clients differ in what they make of the same reply: a text may be bytes if their user wants that, a number may be a text.
 * Scripts reply with texts, numbers and arrays only, in RESP2 and RESP3 alike; maps are not used, since each client has its own.
 */

export function textOf(reply: unknown): string {
  if (typeof reply === "string") return reply;
  if (reply instanceof Uint8Array) return Buffer.from(reply.buffer, reply.byteOffset, reply.length).toString();
  return typeof reply === "number" || typeof reply === "bigint" ? String(reply) : "";
}

/** `undefined` if there is none. */
export function optionalTextOf(reply: unknown): string | undefined {
  return reply === null || reply === undefined || reply === false ? undefined : textOf(reply);
}

export function numberOf(reply: unknown): number {
  return Number(textOf(reply));
}

export function listOf(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}
