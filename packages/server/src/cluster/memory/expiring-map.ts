/** A clock that returns milliseconds. Only differences count. */
export type Clock = () => number;

interface Entry<V> {
  readonly value: V;
  expires: number;
}

/** A map whose entries end after a time. It needs no timers: whoever adds an entry also looks at two others. */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #now: Clock;
  readonly #max: number;
  readonly #dropped: ((key: string, value: V) => void) | undefined;
  #cursor: Iterator<[string, Entry<V>]> | undefined;
  /** No entry ends before this. */
  #earliest = Infinity;

  /** At most `max` entries. `dropped` hears of each entry that has ended or was deleted. */
  constructor(now: Clock, max: number, dropped?: (key: string, value: V) => void) {
    this.#now = now;
    this.#max = max;
    this.#dropped = dropped;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expires > this.#now()) return entry.value;
    this.delete(key);
    return undefined;
  }

  /** Adds or replaces an entry. Returns whether there was room. */
  set(key: string, value: V, ttl: number): boolean {
    this.#sweepTwo();
    if (!this.#entries.has(key) && !this.hasRoom()) return false;
    const expires = this.#now() + ttl;
    this.#entries.set(key, { value, expires });
    this.#earliest = Math.min(this.#earliest, expires);
    return true;
  }

  /** Keeps an entry for a time from now. Returns whether there is one. */
  touch(key: string, ttl: number): boolean {
    const entry = this.#entries.get(key);
    const now = this.#now();
    if (entry === undefined || entry.expires <= now) return false;
    entry.expires = now + ttl;
    this.#earliest = Math.min(this.#earliest, entry.expires);
    return true;
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    this.#dropped?.(key, entry.value);
    return entry.expires > this.#now();
  }

  /** Drops the entry that was added first. */
  deleteOldest(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.delete(oldest);
  }

  hasRoom(): boolean {
    if (this.#entries.size < this.#max) return true;
    this.sweep();
    return this.#entries.size < this.#max;
  }

  /** Drops all entries that have ended. Looks at them only if one may have. */
  sweep(): void {
    const now = this.#now();
    if (now < this.#earliest) return;
    this.#earliest = Infinity;
    for (const [key, { expires }] of this.#entries) {
      if (expires <= now) this.delete(key);
      else this.#earliest = Math.min(this.#earliest, expires);
    }
  }

  #sweepTwo(): void {
    for (let looked = 0; looked < 2; looked++) {
      const next = (this.#cursor ??= this.#entries.entries()).next();
      if (next.done === true) {
        this.#cursor = undefined;
        return;
      }
      const [key, { expires }] = next.value;
      if (expires <= this.#now()) this.delete(key);
    }
  }
}
