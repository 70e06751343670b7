/** A value in a store, and the version by which it can be replaced. */
export interface StoredValue {
  readonly value: unknown;
  /** Differs for every write of the same key. */
  readonly version: string;
}

/**
 * Keeps tokens and registrations. Several clients and processes may share a store, so a value is only ever replaced by
 * whoever knows its latest version, and one process at a time renews a grant. The first word of a key says what its value is:
 * `grant` or `server` for what belongs to one user, `registration` for what all users of this client share.
 */
export interface AuthStore {
  get(key: string): Promise<StoredValue | undefined>;
  /**
   * Replaces the value of a key, or deletes it if `next` is `undefined`. Resolves to `false`, and changes nothing, if the
   * version is another one than `expected`; `undefined` expects that there is no value.
   */
  swap(key: string, expected: string | undefined, next: unknown): Promise<boolean>;
  /**
   * Runs work while nobody else runs work for the same key. Leave it out if the store is used by one process only. A lock that can
   * be lost, as by a process that was stopped for too long, gives the work a function that tells whether it is still held.
   */
  lock?<T>(key: string, work: LockedWork<T>, options: { readonly signal: AbortSignal | undefined }): Promise<T>;
  /**
   * Whether it holds any object that can be cloned, such as keys that cannot be exported. Default: it holds JSON, and keys are
   * made so that they can be exported.
   */
  readonly holdsObjects?: boolean | undefined;
}

/** What runs under a lock. `isHeld` is there if the lock can be lost. */
export type LockedWork<T> = (isHeld?: () => Promise<boolean>) => Promise<T>;

/** Makes a store in the memory of this process: everybody has to log in again after a restart. */
export function memoryStore(): AuthStore {
  const entries = new Map<string, StoredValue>();
  let writes = 0;
  return {
    holdsObjects: true,
    get: async (key) => entries.get(key),
    swap: async (key, expected, next) => {
      if (entries.get(key)?.version !== expected) return false;
      if (next === undefined) entries.delete(key);
      else entries.set(key, { value: next, version: String(++writes) });
      return true;
    },
  };
}
