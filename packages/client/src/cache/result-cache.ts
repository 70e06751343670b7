import { estimateBytes } from "../messages/json.ts";

interface Entry {
  readonly result: object;
  /** An estimate of its memory, including the key. */
  readonly bytes: number;
  /** A time of `performance.now()`. */
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

/** One day. Longer hints of servers are cut to it. */
const MAX_TTL_MS = 86_400_000;

/** The limits of {@link createResultCache}. */
export interface ResultCacheOptions {
  /** How many results to keep. Default 256. */
  readonly maxEntries?: number | undefined;
  /** How many bytes of memory they may take, roughly, with their keys. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
}

/** Makes a cache in memory, limited in number and size. The least recently used results are dropped first. */
export function createResultCache(options: ResultCacheOptions = {}): ResultCache {
  const { maxEntries = 256, maxBytes = 64 * 1024 * 1024 } = options;
  const entries = new Map<string, Entry>();
  let bytes = 0;
  const remove = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    bytes -= entry?.bytes ?? 0;
    entries.delete(key);
    return entry;
  };
  const add = (key: string, entry: Entry): void => {
    entries.set(key, entry);
    bytes += entry.bytes;
  };
  return {
    get(key) {
      const entry = remove(key);
      if (entry === undefined || performance.now() >= entry.freshUntil) return undefined;
      add(key, entry);
      return entry.result;
    },
    set(key, result, ttlMs) {
      remove(key);
      const entry = {
        result,
        bytes: key.length + estimateBytes(result, maxBytes),
        freshUntil: performance.now() + Math.min(ttlMs, MAX_TTL_MS),
      };
      if (entry.bytes > maxBytes) return;
      add(key, entry);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && bytes <= maxBytes) break;
        remove(oldest);
      }
    },
    drop(prefix) {
      for (const key of entries.keys()) if (key.startsWith(prefix)) remove(key);
    },
  };
}
