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
