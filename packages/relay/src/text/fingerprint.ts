import { createHash } from "node:crypto";
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
