import { ClusterError } from "../cluster.ts";

/** How many bytes of facts a session may have: a part of the contract. */
export const MAX_FACTS: number = 16 * 1024;

/** How many characters ids, keys and names may have. */
const MAX_KEY = 1024;

/** Bytes of a text in UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Refuses what is larger than the engine takes. Names no content: it may be secret. */
export function expectSize(what: string, size: number, max: number): void {
  if (size <= max) return;
  throw new ClusterError("TOO_LARGE", `${what} has a size of ${size}, and the engine takes at most ${max}.`);
}

/** Refuses a key that is too long to be kept. */
export function expectKey(key: string): string {
  expectSize("A key", key.length, MAX_KEY);
  return key;
}

/** The error of an engine whose limits leave no room for more. Nothing was written. */
export function engineFull(what: string, option: string): ClusterError {
  return new ClusterError(
    "UNAVAILABLE",
    `The engine in memory has no room for more ${what}. Try again later, or raise \`${option}\` of createMemoryEngine.`,
  );
}
