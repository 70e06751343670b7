import type { BusMessage } from "@toolwire/server/cluster";
import { isObject } from "@toolwire/protocol/internal";

/** What nodes publish to each other. Others than these come from nodes of other versions, and are ignored. */
export type Published =
  /** A request, or a broadcast. */
  | { readonly type: "request" | "broadcast"; readonly from: string; readonly message: BusMessage }
  /** The reply to a request, as JSON text; none if it is larger than the engine takes. */
  | { readonly type: "reply"; readonly from: string; readonly id: string; readonly reply: string | undefined }
  /** A node asks whether it still hears itself. */
  | { readonly type: "ping" }
  /** The log of changes has grown. */
  | { readonly type: "changes" }
  /** A node has ended. */
  | { readonly type: "gone"; readonly from: string }
  /** The text itself is under a key. */
  | { readonly type: "body"; readonly name: string };

/** What is published when the log of changes has grown. Scripts publish it, too. */
export const CHANGES = '{"type":"changes"}';

export function writePublished(published: Published): string {
  return JSON.stringify(published);
}

/** `undefined` for whatever else was published in a channel of ours. */
export function readPublished(text: string): Published | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { type, from, id, reply, message, name } = value;
  switch (type) {
    case "ping":
    case "changes":
      return { type };
    case "body":
      return typeof name === "string" && /^[a-z0-9]{1,64}$/.test(name) ? { type, name } : undefined;
  }
  if (typeof from !== "string" || !isNodeName(from)) return undefined;
  switch (type) {
    case "gone":
      return { type, from };
    case "reply":
      if (typeof id !== "string" || (reply !== undefined && typeof reply !== "string")) return undefined;
      return { type, from, id, reply };
    case "request":
    case "broadcast":
      if (!isObject(message)) return undefined;
      return isMessage(message)
        ? { type, from, message: { id: message.id, kind: message.kind, body: message.body } }
        : undefined;
    default:
      return undefined;
  }
}

function isMessage(given: object): given is { readonly id: string; readonly kind: string; readonly body?: unknown } {
  return "id" in given && typeof given.id === "string" && "kind" in given && typeof given.kind === "string";
}

/** Names of nodes come from clients, too, as parts of ids. */
export function isNodeName(text: string): boolean {
  return /^[a-z0-9]{10}$/.test(text);
}
