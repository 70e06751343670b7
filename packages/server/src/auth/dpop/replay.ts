import { PROOF_WINDOW_MS } from "./proof.ts";

/** The longest time for which a proof has to be remembered: one from a clock that is as far ahead as allowed. */
const LONGEST_MS = 2 * PROOF_WINDOW_MS;

/**
 * The proofs of the last minutes, in two halves: the newer one is filled, the older one only read. A half is dropped when everything in it
 * has expired. If proofs come so fast that a half is full before, the older one is dropped early, and from then on proofs need a nonce
 * that was made later: one that is forgotten has no such nonce, so it cannot be used again. A memory that is new has forgotten
 * everything: the process may have been started again a moment ago.
 */
export class ReplayMemory {
  readonly #maxPerHalf: number;
  #newer = new Set<string>();
  #older = new Set<string>();
  #newerFrom = -Infinity;
  #olderUntil = -Infinity;
  /** When proofs were forgotten last. */
  #forgotAt: number | undefined;

  /** `startedAt`: before that, another memory may have had proofs. It is 0 in workers of Cloudflare while their modules load. */
  constructor(maxProofs = 100_000, startedAt: number = Date.now()) {
    this.#maxPerHalf = Math.ceil(maxProofs / 2);
    this.#forgotAt = startedAt === 0 ? undefined : afterwards(startedAt);
  }

  /** The number of proofs that are remembered. */
  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  /** The time at or after which nonces must have been made; `undefined` if proofs need none. */
  nonceNotBefore(now: number): number | undefined {
    this.#forgotAt ??= afterwards(now);
    return now - this.#forgotAt <= LONGEST_MS ? this.#forgotAt : undefined;
  }

  /** Remembers a proof. Returns whether it is new. */
  add(key: string, now: number): boolean {
    if (this.#newer.has(key) || this.#older.has(key)) return false;
    if (this.#newer.size >= this.#maxPerHalf || now - this.#newerFrom > LONGEST_MS) this.#turn(now);
    this.#newer.add(key);
    return true;
  }

  #turn(now: number): void {
    if (this.#older.size > 0 && now - this.#olderUntil <= LONGEST_MS) this.#forgotAt = afterwards(now);
    this.#older = this.#newer;
    this.#olderUntil = now;
    this.#newer = new Set();
    this.#newerFrom = now;
  }
}

/** Nonces have whole milliseconds: one that was made in this very millisecond may be in a proof that is forgotten. */
function afterwards(time: number): number {
  return time + 1;
}
