/** Counts requests of callers over all nodes. */
export interface RateLimitStore {
  /**
   * Takes a token from the bucket of a key, which holds `limit` tokens and fills up evenly within `window` milliseconds.
   * Returns 0, or how many milliseconds it takes until there is one. By the clock of the engine.
   */
  take(key: string, bucket: { readonly limit: number; readonly window: number }): Promise<number>;
}

/** Lets each key through once. */
export interface OnceStore {
  /** Keeps a key for `ttl` milliseconds, unless it is there already. Returns whether it was new. One step for the engine. */
  claim(key: string, ttl: number): Promise<boolean>;
}

/** A key of the ring that all nodes share. */
export interface StoredKey {
  /** Names the key in what it has sealed: 1 to 16 characters of `A-Z a-z 0-9`. */
  readonly id: string;
  /** Base64url of its 32 bytes. */
  readonly secret: string;
}

/** Keeps the keys with which nodes seal what travels through clients. Whoever can read the engine can read them. */
export interface KeyStore {
  /** All keys, the newest first, each with its age in milliseconds by the clock of the engine. */
  list(): Promise<readonly (StoredKey & { readonly age: number })[]>;
  /**
   * Adds a key, if the newest one is `after` (`undefined`: if there is none). Returns whether it was added, or was there
   * already: of several nodes that want to rotate, one does.
   */
  add(key: StoredKey, after: string | undefined): Promise<boolean>;
  /** Removes a key that nothing was sealed with for long enough. */
  remove(id: string): Promise<void>;
}
