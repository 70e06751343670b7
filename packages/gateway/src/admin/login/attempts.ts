import { createHash } from "node:crypto";
import type { RateLimitStore } from "@toolwire/server/cluster";

/** So many wrong tokens from one address within a minute. */
const PER_ADDRESS = 10;

/** So many from all addresses together. */
const IN_ALL = 100;

const WINDOW = 60_000;
const MAX_ADDRESSES = 1000;

interface Count {
  readonly since: number;
  failures: number;
}

/**
 * Counts wrong tokens, so that nobody can try out many. In a cluster, those of all gateways count together: a gateway asks after each
 * wrong token, so that right ones wait for nothing.
 */
export class LoginAttempts {
  readonly #now: () => number;
  readonly #limits: RateLimitStore | undefined;
  readonly #byAddress = new Map<string, Count>();
  #all: Count;

  constructor(now: () => number, limits?: RateLimitStore) {
    this.#now = now;
    this.#limits = limits;
    this.#all = { since: now(), failures: 0 };
  }

  /** How many milliseconds an address has to wait before its next token is looked at; 0 if it has not to. */
  waitOf(address: string): number {
    const count = this.#current(this.#byAddress.get(address));
    this.#all = this.#current(this.#all) ?? { since: this.#now(), failures: 0 };
    const waits = [
      count !== undefined && count.failures >= PER_ADDRESS ? count.since + WINDOW - this.#now() : 0,
      this.#all.failures >= IN_ALL ? this.#all.since + WINDOW - this.#now() : 0,
    ];
    return Math.max(...waits);
  }

  /** Notes a wrong token. */
  async fail(address: string): Promise<void> {
    this.#count(address);
    if (this.#limits === undefined) return;
    const [ofAddress, ofAll] = await Promise.all([
      this.#takeShared(this.#limits, address, PER_ADDRESS - 1),
      this.#takeShared(this.#limits, "", IN_ALL - 1),
    ]);
    // The last one that is looked at was this one.
    if (!ofAddress) this.#noteFull(address);
    if (!ofAll) this.#all.failures = Math.max(this.#all.failures, IN_ALL);
  }

  /** Whether another wrong token may be looked at. If the engine does not say it, this gateway decides alone. */
  async #takeShared(limits: RateLimitStore, address: string, limit: number): Promise<boolean> {
    const digest = createHash("sha256")
      .update(JSON.stringify(["toolwire-page", address]))
      .digest("base64url");
    try {
      return (await limits.take(digest, { limit, window: WINDOW })) === 0;
    } catch {
      return true;
    }
  }

  #noteFull(address: string): void {
    const count = this.#byAddress.get(address);
    if (count !== undefined) count.failures = Math.max(count.failures, PER_ADDRESS);
  }

  #count(address: string): void {
    const count = this.#current(this.#byAddress.get(address)) ?? { since: this.#now(), failures: 0 };
    count.failures += 1;
    this.#all.failures += 1;
    if (!this.#byAddress.has(address) && this.#byAddress.size >= MAX_ADDRESSES) this.#byAddress.clear();
    this.#byAddress.set(address, count);
  }

  #current(count: Count | undefined): Count | undefined {
    return count !== undefined && this.#now() - count.since < WINDOW ? count : undefined;
  }
}
