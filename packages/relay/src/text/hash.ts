import { createHash } from "node:crypto";

/** A hash of a text, in hexadecimal digits. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
