import { isObject } from "../model/json.ts";

/**
 * The path of the first place at which two JSON values differ, such as `metadata.version`; `undefined` if they are the same. The order
 * of members does not count. The first value is finite; the second may be anything.
 */
export function findDifference(expected: unknown, found: unknown, path = ""): string | undefined {
  if (Array.isArray(expected)) {
    if (!Array.isArray(found)) return path;
    if (found.length !== expected.length) return path;
    for (const [index, item] of expected.entries()) {
      const place = findDifference(item, found[index], `${path}[${index}]`);
      if (place !== undefined) return place;
    }
    return undefined;
  }
  if (!isObject(expected)) return expected === found ? undefined : path;
  if (!isObject(found)) return path;
  const below = (key: string): string => (path === "" ? key : `${path}.${key}`);
  for (const key of Object.keys(expected)) {
    if (!Object.hasOwn(found, key)) return below(key);
    const place = findDifference(expected[key], found[key], below(key));
    if (place !== undefined) return place;
  }
  const added = Object.keys(found).find((key) => !Object.hasOwn(expected, key));
  return added === undefined ? undefined : below(added);
}
