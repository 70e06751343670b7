/**
 * Reading of values whose shape nobody has checked. Only own members count, so that names such as `constructor` are names
 * like any other.
 */

/** An object of JSON. */
export interface JsonMembers {
  readonly [key: string]: unknown;
}

/** Whether a value is an object of JSON: neither `null` nor a list. */
export function isMembers(value: unknown): value is JsonMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The member of an object. `undefined` if the value is no object, or has no such member of its own. */
export function memberOf(value: unknown, key: string): unknown {
  return isMembers(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The members of a value by name; none if it is no object. */
export function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isMembers(value) ? Object.entries(value) : [];
}

/** The items of a list; none if the value is no list. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** A text that is not empty, or `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The texts in a list. */
export function textsOf(value: unknown): readonly string[] {
  return itemsOf(value).filter((item) => typeof item === "string");
}
