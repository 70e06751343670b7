import { createHash } from "node:crypto";
import type { Tool } from "@toolwire/client";
import { isObject } from "@toolwire/protocol/internal";

/** A hash of a text, in hexadecimal digits. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** JSON in which the order of members does not matter. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isObject(member) && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/**
 * A fingerprint of everything in the listing of a tool that a model or a person goes by. It stays the same as long as the tool does,
 * so that it can be kept to tell whether a tool has changed since somebody looked at it.
 */
export function fingerprintTool({ name, title, description, inputSchema, outputSchema, annotations }: Tool): string {
  return hashText(canonicalJson([name, title, description, inputSchema, outputSchema, annotations]));
}
