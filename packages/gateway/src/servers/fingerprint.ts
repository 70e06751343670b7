import { createHash } from "node:crypto";

/** A digest of a value that is JSON: two values with the same digest are the same. Credentials cannot be read from it. */
export function hash(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  return createHash("sha256")
    .update(text ?? "")
    .digest("base64url");
}
