/**
 * Says in error messages what kind of value was given: `a string`, `an array`, `a promise`, `a Map`. Never what is in it,
 * which may be long or secret.
 */
export function describeKind(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const kind = /^(?:Array|Object|Promise)$/.test(tag) ? tag.toLowerCase() : tag;
  return `${/^[aeio]/i.test(kind) ? "an" : "a"} ${kind}`;
}
