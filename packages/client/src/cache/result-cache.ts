/** Nested deeper than this, a result is no answer to anything, and not worth the stack that it takes to copy it. */
const MAX_DEPTH = 100;

/**
 * Copies a JSON value, all the way down. Strings are shared, so that a long text costs nothing. What is nested too deeply
 * is returned as it is.
 */
export function copyJson<T>(value: T): T {
  let isTooDeep = false;
  const copy = (item: unknown, depth: number): unknown => {
    if (typeof item !== "object" || item === null || (isTooDeep ||= depth > MAX_DEPTH)) return item;
    if (Array.isArray(item)) return item.map((member) => copy(member, depth + 1));
    const copied: Record<string, unknown> = { ...item };
    for (const key in copied) if (typeof copied[key] === "object") copied[key] = copy(copied[key], depth + 1);
    return copied;
  };
  const copied = copy(value, 0) as T;
  return isTooDeep ? value : copied;
}

/** Puts an entry behind all others, and forgets those in front that are too many. */
export function keepNewest<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, maxEntries: number): void {
  entries.delete(key);
  entries.set(key, value);
  for (const oldest of entries.keys()) {
    if (entries.size <= maxEntries) return;
    entries.delete(oldest);
  }
}

/** Rough memory costs: of an object or array, of each member, and of a string beyond its characters. */
const OBJECT_BYTES = 56;
const MEMBER_BYTES = 16;
const TEXT_BYTES = 16;

/**
 * Roughly how many bytes of memory a value takes that came as JSON: small objects take several times their text. Stops to
 * count above the limit. The value may be nested deeper than any stack.
 */
export function weigh(value: unknown, limit: number): number {
  let weight = 0;
  const open: object[] = [];
  const add = (member: unknown): void => {
    weight += MEMBER_BYTES;
    if (typeof member === "string") weight += TEXT_BYTES + member.length;
    else if (typeof member === "object" && member !== null) open.push(member);
  };
  add(value);
  for (let next = open.pop(); next !== undefined && weight <= limit; next = open.pop()) {
    weight += OBJECT_BYTES;
    if (Array.isArray(next)) for (const member of next) add(member);
    else {
      for (const [key, member] of Object.entries(next)) {
        weight += key.length;
        add(member);
      }
    }
  }
  return weight;
}

interface Entry {
  readonly result: object;
  /** How much room it takes, with its key. */
  readonly bytes: number;
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
        bytes: key.length + weigh(result, maxBytes),
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
