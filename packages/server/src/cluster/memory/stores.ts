import type { KeyStore, OnceStore, RateLimitStore, StoredKey } from "../stores.ts";
import { ExpiringMap, type Clock } from "./expiring-map.ts";
import { expectKey, expectSize } from "../limits.ts";
import { engineFull } from "./texts.ts";

/** Buckets in memory. A bucket is one number: the time at which it will be full again. Beyond the limit, the oldest is forgotten. */
export class MemoryLimits implements RateLimitStore {
  readonly #now: Clock;
  readonly #full: ExpiringMap<number>;

  constructor(now: Clock, maxKeys: number) {
    this.#now = now;
    this.#full = new ExpiringMap(now, maxKeys);
  }

  async take(key: string, { limit, window }: { readonly limit: number; readonly window: number }): Promise<number> {
    expectKey(key);
    const now = this.#now();
    const perToken = window / limit;
    const full = Math.max(this.#full.get(key) ?? now, now) + perToken;
    // A hundredth of a token makes up for sums of fractions, such as three thirds of a window.
    const wait = full - now - window;
    if (wait > perToken / 100) return Math.ceil(wait);
    if (!this.#full.hasRoom()) this.#full.deleteOldest();
    this.#full.set(key, full, full - now);
    return 0;
  }
}

/** Keys in memory that pass once. A full store lets nothing through: a forgotten key could pass twice. */
export class MemoryOnce implements OnceStore {
  readonly #claimed: ExpiringMap<true>;

  constructor(now: Clock, maxKeys: number) {
    this.#claimed = new ExpiringMap(now, maxKeys);
  }

  async claim(key: string, ttl: number): Promise<boolean> {
    if (this.#claimed.get(expectKey(key)) !== undefined) return false;
    if (!this.#claimed.set(key, true, ttl)) throw engineFull("keys that pass once", "maxKeys");
    return true;
  }
}

/** How many keys a ring may have: many more than rotations need. */
const MAX_RING = 64;

/** The ring of keys in memory. */
export class MemoryKeys implements KeyStore {
  readonly #now: Clock;
  /** The newest first. */
  #keys: (StoredKey & { readonly added: number })[] = [];

  constructor(now: Clock) {
    this.#now = now;
  }

  async list(): Promise<readonly (StoredKey & { readonly age: number })[]> {
    const now = this.#now();
    return this.#keys.map(({ id, secret, added }) => ({ id, secret, age: now - added }));
  }

  async add({ id, secret }: StoredKey, after: string | undefined): Promise<boolean> {
    const known = this.#keys.find((key) => key.id === id);
    if (known !== undefined) return known.secret === secret;
    if (this.#keys[0]?.id !== after) return false;
    expectSize("The ring of keys", this.#keys.length + 1, MAX_RING);
    this.#keys.unshift({ id: expectKey(id), secret: expectKey(secret), added: this.#now() });
    return true;
  }

  async remove(id: string): Promise<void> {
    this.#keys = this.#keys.filter((key) => key.id !== id);
  }
}
