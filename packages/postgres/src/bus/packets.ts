import { isObject } from "@toolwire/protocol/internal";

/** What one node sends to another in a notification. */
export interface Packet {
  readonly type: "message" | "reply";
  /** The id of the message, also in its reply. */
  readonly id: string;
  readonly from: string;
  /** Absent in replies. */
  readonly kind?: string | undefined;
  /** JSON text. Absent if it is in a row of the table, or was too large even for that. */
  readonly body?: string | undefined;
  /** The row of the table that has the body. */
  readonly row?: string | undefined;
}

/** Reads a packet that a node has sealed: of this version, or of another one. */
export function parsePacket(text: string): Packet | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { type, id, from, kind, body, row } = value;
  if ((type !== "message" && type !== "reply") || typeof id !== "string" || typeof from !== "string") return undefined;
  if (type === "message" && typeof kind !== "string") return undefined;
  return {
    type,
    id,
    from,
    ...(typeof kind === "string" && { kind }),
    ...(typeof body === "string" && { body }),
    ...(typeof row === "string" && { row }),
  };
}
