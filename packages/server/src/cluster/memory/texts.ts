import { ClusterError } from "../cluster.ts";

/** Bytes of a text in UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The error of an engine whose limits leave no room for more. Nothing was written. */
export function engineFull(what: string, option: string): ClusterError {
  return new ClusterError(
    "UNAVAILABLE",
    `The engine in memory has no room for more ${what}. Try again later, or raise \`${option}\` of createMemoryEngine.`,
  );
}
