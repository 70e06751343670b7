/** What every engine takes: a part of the contract, which checks it. */
import { ClusterError } from "./cluster.ts";

/** The most that engines have to keep. For those who write one. */
export interface EngineLimits {
  /** Bytes of the facts of a session. */
  readonly facts: number;
  /** Bytes of the URIs that one session watches, together. */
  readonly watched: number;
  /** Characters of the changes that are announced at once. */
  readonly announced: number;
  /** Characters of an id, a key or a name. */
  readonly key: number;
}

/** The limits of the contract. */
export const ENGINE_LIMITS: EngineLimits = {
  facts: 16 * 1024,
  watched: 256 * 1024,
  announced: 64 * 1024,
  key: 1024,
};

/** Refuses what is larger than an engine takes. Names no content: it may be secret. For those who write an engine. */
export function expectSize(what: string, size: number, max: number): void {
  if (size <= max) return;
  throw new ClusterError("TOO_LARGE", `${what} has a size of ${size}, and the engine takes at most ${max}.`);
}

/** Refuses an id, a key or a name that is too long to be kept. For those who write an engine. */
export function expectKey(key: string): string {
  expectSize("A key", key.length, ENGINE_LIMITS.key);
  return key;
}
