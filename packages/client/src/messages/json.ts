/** The depth of nesting beyond which a value is not copied: no useful result is that deep, and copying takes stack. */
const MAX_DEPTH = 100;

/** Makes a deep copy of a JSON value. Strings are shared. A value that is nested too deeply is returned as it is. */
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

/** Rough memory costs: of an object or array, of each member, and of a string beyond its characters. */
const OBJECT_BYTES = 56;
const MEMBER_BYTES = 16;
const TEXT_BYTES = 16;

/**
 * Estimates how many bytes of memory a JSON value takes: small objects take several times their text. Stops counting above
 * the limit. Uses no recursion, because the value may be nested deeper than any stack.
 */
export function estimateBytes(value: unknown, limit: number): number {
  let bytes = 0;
  const open: object[] = [];
  const add = (member: unknown): void => {
    bytes += MEMBER_BYTES;
    if (typeof member === "string") bytes += TEXT_BYTES + member.length;
    else if (typeof member === "object" && member !== null) open.push(member);
  };
  add(value);
  for (let next = open.pop(); next !== undefined && bytes <= limit; next = open.pop()) {
    bytes += OBJECT_BYTES;
    if (Array.isArray(next)) for (const member of next) add(member);
    else {
      for (const [key, member] of Object.entries(next)) {
        bytes += key.length;
        add(member);
      }
    }
  }
  return bytes;
}
