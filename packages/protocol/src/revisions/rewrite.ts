/** Turns a value into what a revision can express. `undefined` stands for "nothing to do", so callers can skip it. */
export type Rewrite<T> = ((value: T) => T) | undefined;

/** One rewrite after the other. */
export function chain<T>(...steps: readonly Rewrite<T>[]): Rewrite<T> {
  return steps.reduce((first, second) => {
    if (first === undefined || second === undefined) return first ?? second;
    return (value) => second(first(value));
  }, undefined);
}

/** Rewrites all items of an array, which stays the same array if none changes. */
export function each<T>(rewrite: (value: T) => T): (items: readonly T[]) => readonly T[];
export function each<T>(rewrite: Rewrite<T>): Rewrite<readonly T[]>;
export function each<T>(rewrite: Rewrite<T>): Rewrite<readonly T[]> {
  if (rewrite === undefined) return undefined;
  return (items) => {
    let copy: T[] | undefined;
    items.forEach((item, index) => {
      const rewritten = rewrite(item);
      if (rewritten === item) return;
      copy ??= items.slice();
      copy[index] = rewritten;
    });
    return copy ?? items;
  };
}

type ValueMap<T> = { readonly [key: string]: T };

/** Rewrites all values of a map, which stays the same object if none changes. */
export function values<T>(rewrite: (value: T) => T): (map: ValueMap<T>) => ValueMap<T>;
export function values<T>(rewrite: Rewrite<T>): Rewrite<ValueMap<T>>;
export function values<T>(rewrite: Rewrite<T>): Rewrite<ValueMap<T>> {
  if (rewrite === undefined) return undefined;
  return (map) => {
    const entries = Object.entries(map);
    const rewritten = entries.map(([key, value]): [string, T] => [key, rewrite(value)]);
    return entries.every(([, value], index) => value === rewritten[index]?.[1]) ? map : Object.fromEntries(rewritten);
  };
}

/** Rewrites one member where it is present; the object stays the same if the member does. */
export function member<T extends object, K extends keyof T>(key: K, rewrite: Rewrite<NonNullable<T[K]>>): Rewrite<T> {
  if (rewrite === undefined) return undefined;
  return (value) => {
    const before = value[key];
    if (before === undefined || before === null) return value;
    const after = rewrite(before);
    return after === before ? value : { ...value, [key]: after };
  };
}

/** The same object without some of its members, all of which are optional in its type. */
export function omit<T extends object>(value: T, fields: readonly string[]): T {
  for (const field of fields) {
    if (field in value) {
      return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key))) as T;
    }
  }
  return value;
}
