import { keepNewest } from "./keep-newest.ts";

interface Entry {
  readonly result: object;
  /** In milliseconds of `performance.now()`. */
  readonly freshUntil: number;
}

/**
 * A cache of results. Any number of clients can share one: public results are shared between all clients of a server,
 * all other results only between clients of the same principal.
 *
 * Keys contain the URL of a server or its command line, the principal, and the URI of a resource, but no secrets of the
 * client: a server whose URL has a query, or whose command has an environment of its own, gets a random name, and its
 * results are not shared with other clients.
 */
export interface ResultCache {
  get(key: string): object | undefined;
  set(key: string, result: object, ttlMs: number): void;
  /** Drops all entries whose key begins with the prefix. */
  drop(prefix: string): void;
}

/** A day: no hint of a server is worth more. */
const MAX_TTL_MS = 86_400_000;

/**
 * Makes a cache in memory, limited to `maxEntries` results (default 256). The least recently used are dropped first.
 */
export function createResultCache(options: { readonly maxEntries?: number | undefined } = {}): ResultCache {
  const maxEntries = options.maxEntries ?? 256;
  const entries = new Map<string, Entry>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (performance.now() >= entry.freshUntil) return undefined;
      entries.set(key, entry);
      return entry.result;
    },
    set(key, result, ttlMs) {
      keepNewest(entries, key, { result, freshUntil: performance.now() + Math.min(ttlMs, MAX_TTL_MS) }, maxEntries);
    },
    drop(prefix) {
      for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key);
    },
  };
}
