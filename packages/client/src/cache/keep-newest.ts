/** Puts an entry behind all others, and forgets those in front that are too many. */
export function keepNewest<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, maxEntries: number): void {
  entries.delete(key);
  entries.set(key, value);
  for (const oldest of entries.keys()) {
    if (entries.size <= maxEntries) return;
    entries.delete(oldest);
  }
}
