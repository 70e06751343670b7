import type { LimitsConfig } from "../config/config.ts";
import { type CallLimits, type SharedCounts, UNLIMITED } from "../steps/policy.ts";

/** How many callers are remembered at least. Of twice as many, those that came least recently are forgotten. */
const MANY_CALLERS = 10_000;

const MINUTE = 60_000;

/** How long the engine of a cluster is not asked after it has failed, so that calls do not wait for it one by one. */
const PAUSE = 1000;

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
  #recent = new Map<string, Bucket>();
  #earlier: ReadonlyMap<string, Bucket> = new Map();
  #inFlight = 0;
  #pausedUntil = -Infinity;

  constructor(what: string, perMinute: number, concurrent: number) {
    this.#what = what;
    this.#perMinute = perMinute;
    this.#concurrent = concurrent;
  }

  take(caller: string, now: number): string | undefined {
    return this.#refuseBusy() ?? this.#admit(this.#spend(caller, now));
  }

  async takeShared(caller: string, now: number, shared: SharedCounts): Promise<string | undefined> {
    const busy = this.#refuseBusy();
    if (busy !== undefined || this.#perMinute === Infinity) return busy ?? this.#admit(0);
    const waitMs = await this.#spendShared(caller, now, shared);
    // Others may have come meanwhile.
    return this.#refuseBusy() ?? this.#admit(waitMs);
  }

  release(): void {
    this.#inFlight -= 1;
  }

  #refuseBusy(): string | undefined {
    if (this.#inFlight < this.#concurrent) return undefined;
    return `Error: ${this.#what} is busy: ${this.#concurrent} calls are running, which is the limit. Try again later.`;
  }

  #admit(waitMs: number): string | undefined {
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      return `Error: Rate limit of ${this.#perMinute} calls a minute for ${this.#what} reached. Try again in ${seconds} s.`;
    }
    this.#inFlight += 1;
    return undefined;
  }

  /** Takes a token that all gateways share. While their engine does not count, each gateway does. */
  async #spendShared(caller: string, now: number, shared: SharedCounts): Promise<number> {
    if (now < this.#pausedUntil) return this.#spend(caller, now);
    try {
      // Limits of one server differ in what they are for: the server, or one of its tools.
      const key = JSON.stringify(["calls", this.#what, caller]);
      return await shared.take(key, { limit: this.#perMinute, window: MINUTE });
    } catch {
      // The servers tell the operator.
      this.#pausedUntil = now + PAUSE;
      return this.#spend(caller, now);
    }
  }

  /** Takes a token. Returns 0, or the milliseconds until there is one. */
  #spend(caller: string, now: number): number {
    if (this.#perMinute === Infinity) return 0;
    const bucket = this.#bucketOf(caller, now);
    const refilled = (Math.max(0, now - bucket.updated) * this.#perMinute) / MINUTE;
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + refilled);
    bucket.updated = now;
    if (bucket.tokens < 1) return ((1 - bucket.tokens) * MINUTE) / this.#perMinute;
    bucket.tokens -= 1;
    return 0;
  }

  #bucketOf(caller: string, now: number): Bucket {
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
