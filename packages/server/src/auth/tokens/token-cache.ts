interface Entry<T> {
  readonly value: T;
  readonly until: number;
  readonly weight: number;
}

/**
 * Values by the text of a token, for a short time. The number of entries and their weight are bounded; the oldest make room. The
 * keys are the texts themselves: a digest would take a promise, and a hit must not. `docs/decisions/access-tokens.md` has
 * the reasons.
 */
export class TokenCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #maxEntries: number;
  readonly #maxWeight: number;
  #weight = 0;

  /** `maxWeight`: the most characters of all keys and values. */
  constructor(maxEntries: number, maxWeight: number) {
    this.#maxEntries = maxEntries;
    this.#maxWeight = maxWeight;
  }

  /** The number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** The characters of all entries. */
  get weight(): number {
    return this.#weight;
  }

  /** The value of a key, unless its time is over. */
  get(key: string, now: number): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > now) return entry.value;
    this.delete(key);
    return undefined;
  }

  /** Keeps a value until a point in time. `weight`: the characters of the value. */
  set(key: string, value: T, until: number, weight: number, now: number): void {
    this.delete(key);
    const entry = { value, until, weight: weight + key.length };
    if (until <= now || entry.weight > this.#maxWeight) return;
    this.#entries.set(key, entry);
    this.#weight += entry.weight;
    // The oldest entries come first. Those that have expired leave as well, so that no token stays for longer than it has to.
    for (const [oldest, { until: end }] of this.#entries) {
      const hasRoom = this.#entries.size <= this.#maxEntries && this.#weight <= this.#maxWeight;
      if (hasRoom && end > now) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }
}
