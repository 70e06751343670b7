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

/** Counts wrong tokens, so that nobody can try out many. */
export class LoginAttempts {
  readonly #now: () => number;
  readonly #byAddress = new Map<string, Count>();
  #all: Count;

  constructor(now: () => number) {
    this.#now = now;
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
  fail(address: string): void {
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
