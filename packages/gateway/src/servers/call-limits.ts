import type { LimitsConfig } from "../config/config.ts";
import { type CallLimits, UNLIMITED } from "../steps/policy.ts";

/** How many callers are remembered at least. Of twice as many, those that came least recently are forgotten. */
const MANY_CALLERS = 10_000;

const MINUTE = 60_000;

/** The tokens of one caller, which refill evenly. */
interface Bucket {
  tokens: number;
  updated: number;
}

/** Makes the limits of a server or a tool. `what` names it in texts for the model. */
export function createLimits(what: string, { perMinute, concurrent }: LimitsConfig): CallLimits {
  if (perMinute === undefined && concurrent === undefined) return UNLIMITED;
  return new CountedLimits(what, perMinute ?? Infinity, concurrent ?? Infinity);
}

/** Counts calls a minute of each caller with a token bucket, and calls in flight of all. */
class CountedLimits implements CallLimits {
  readonly #what: string;
  readonly #perMinute: number;
  readonly #concurrent: number;
  /**
   * Callers of late, and those before them. A map in the order of the latest use would lose and gain an entry with every call, for
   * which it creates a new table every few calls.
   */
  #recent = new Map<string | object, Bucket>();
  #earlier: ReadonlyMap<string | object, Bucket> = new Map();
  #inFlight = 0;

  constructor(what: string, perMinute: number, concurrent: number) {
    this.#what = what;
    this.#perMinute = perMinute;
    this.#concurrent = concurrent;
  }

  take(caller: string | object, now: number): string | undefined {
    if (this.#inFlight >= this.#concurrent) {
      return `Error: ${this.#what} is busy: ${this.#concurrent} calls are running, which is the limit. Try again later.`;
    }
    const waitMs = this.#perMinute === Infinity ? 0 : this.#spend(caller, now);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      return `Error: Rate limit of ${this.#perMinute} calls a minute for ${this.#what} reached. Try again in ${seconds} s.`;
    }
    this.#inFlight += 1;
    return undefined;
  }

  release(): void {
    this.#inFlight -= 1;
  }

  /** Takes a token. Returns 0, or the milliseconds until there is one. */
  #spend(caller: string | object, now: number): number {
    const bucket = this.#bucketOf(caller, now);
    const refilled = (Math.max(0, now - bucket.updated) * this.#perMinute) / MINUTE;
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + refilled);
    bucket.updated = now;
    if (bucket.tokens < 1) return ((1 - bucket.tokens) * MINUTE) / this.#perMinute;
    bucket.tokens -= 1;
    return 0;
  }

  #bucketOf(caller: string | object, now: number): Bucket {
    const known = this.#recent.get(caller);
    if (known !== undefined) return known;
    const bucket = this.#earlier.get(caller) ?? { tokens: this.#perMinute, updated: now };
    if (this.#recent.size >= MANY_CALLERS) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(caller, bucket);
    return bucket;
  }
}
