import { createHash } from "node:crypto";
import { ClusterError } from "@toolwire/server/cluster";

/** How many characters ids, keys and names may have. */
const MAX_KEY = 1024;

/** Marks texts that are kept as JSON. */
const MARK = "\u0001";

/**
 * Makes a text that Postgres keeps as it is: it has neither NUL nor halves of characters. Clients send any text, such as URIs to watch: none may be
 * refused or changed.
 */
export function encodeText(text: string): string {
  const isKept = !text.startsWith(MARK) && !text.includes("\u0000") && !/\p{Surrogate}/u.test(text);
  return isKept ? text : MARK + JSON.stringify(text);
}

/** Undoes {@link encodeText}. */
export function decodeText(kept: string): string {
  return kept.startsWith(MARK) ? (JSON.parse(kept.slice(MARK.length)) as string) : kept;
}

/** Bytes of a text in UTF-8. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Refuses what is larger than the engine takes. Names no content: it may be secret. */
export function expectSize(what: string, size: number, max: number): void {
  if (size <= max) return;
  throw new ClusterError("TOO_LARGE", `${what} has a size of ${size}, and the engine takes at most ${max}.`);
}

/** Refuses a key that is too long to be kept. */
export function expectKey(key: string): string {
  expectSize("A key", key.length, MAX_KEY);
  return encodeText(key);
}

/** Stands for a key in tables: ids of sessions are credentials, and other keys may be as secret. In hexadecimal digits. */
export function hashKey(key: string): string {
  expectSize("A key", key.length, MAX_KEY);
  // Halves of characters have no bytes in UTF-8; with their escapes, different keys have different hashes.
  return createHash("sha256").update(encodeText(key)).digest("hex");
}

/** A number of milliseconds, or of anything, for a parameter. What is longer than a hundred years lasts a hundred years. */
export function toNumber(value: number): string {
  return String(Math.min(Math.max(value, 0), 3_155_760_000_000));
}
