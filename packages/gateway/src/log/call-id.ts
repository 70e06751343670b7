import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(4096);
let used = pool.length;

/**
 * Makes the id of a call: a UUID of version 7 (RFC 9562) whose time is `at`, the time of its record. The log finds a call by
 * the time in its id.
 */
export function createCallId(at: number = Date.now()): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const time = Math.trunc(at).toString(16).padStart(12, "0");
  const random = pool.toString("hex", used, used + 10);
  // The variant: two fixed bits, of which the first digit of the fourth group has two random ones.
  const variant = "89ab"[pool.readUInt8(used + 2) & 3] ?? "8";
  used += 10;
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(5, 8)}-${random.slice(8, 20)}`;
}

/** Reads the time of an id of version 7; `undefined` if it is no UUID. */
export function timeOfCallId(id: string): number | undefined {
  return isUuid(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}

/** Whether a text is a UUID in its usual form. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
