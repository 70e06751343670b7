/** A list of this many items. */
export function list<T>(size: number, make: (index: number) => T): T[] {
  return Array.from({ length: size }, (_, index) => make(index));
}

/** An object with this many properties, called by a prefix and a number. */
export function record<T>(size: number, prefix: string, make: (index: number) => T): Record<string, T> {
  return Object.fromEntries(list(size, (index) => [`${prefix}${index}`, make(index)]));
}
