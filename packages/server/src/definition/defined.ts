/**
 * The same object without the members that are undefined, so that definitions can be built from optional values and
 * still look as they were meant to on transports that pass objects on.
 */
export function defined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
