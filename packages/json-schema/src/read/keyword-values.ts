import { invalidSchema } from "../error.ts";
import type { Place } from "../issues/issue.ts";
import { showValue } from "../issues/words.ts";
import { isObject } from "../schema.ts";
import type { AllowedValues, JsonType } from "./schema-node.ts";

const TYPES: ReadonlySet<string> = new Set<JsonType>([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

/** The value of `type`: one of the seven, or several. */
export function readTypes(value: unknown, place: Place): readonly JsonType[] {
  const types: unknown[] = Array.isArray(value) ? value : [value];
  const wrong = types.find((type) => !isType(type));
  if (wrong !== undefined || types.length === 0) {
    throw invalidSchema(place, `${showValue(wrong ?? value)} is no JSON type; there are ${[...TYPES].join(", ")}`);
  }
  // Removes duplicates: a schema may repeat a type a hundred thousand times, and every value would be compared with all.
  return [...new Set(types.filter(isType))];
}

function isType(value: unknown): value is JsonType {
  return typeof value === "string" && TYPES.has(value);
}

/** The value of a keyword that takes any number. */
export function readNumber(value: unknown, place: Place): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "boolean" && String(place.key).startsWith("exclusive")) {
    throw invalidSchema(place, "must be the limit itself, as a number; true and false ended with draft-04");
  }
  throw invalidSchema(place, `must be a number, not ${showValue(value)}`);
}

/** The value of `multipleOf`. */
export function readDivisor(value: unknown, place: Place): number {
  const divisor = readNumber(value, place);
  if (divisor <= 0) throw invalidSchema(place, `must be above 0, not ${divisor}`);
  return divisor;
}

/** The value of a keyword that counts something, such as `minLength`. */
export function readCount(value: unknown, place: Place): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw invalidSchema(place, `must be a whole number from 0 up, not ${showValue(value)}`);
}

/** The value of a keyword that is on or off. */
export function readBoolean(value: unknown, place: Place): boolean {
  if (typeof value === "boolean") return value;
  throw invalidSchema(place, `must be true or false, not ${showValue(value)}`);
}

/** The value of a keyword that takes a text. */
export function readString(value: unknown, place: Place): string {
  if (typeof value === "string") return value;
  throw invalidSchema(place, `must be a string, not ${showValue(value)}`);
}

/** The value of `required` and its like: names of properties. A set, because a schema may list a hundred thousand of them. */
export function readNames(value: unknown, place: Place): ReadonlySet<string> {
  if (Array.isArray(value)) {
    const names: readonly unknown[] = value;
    if (names.every((name) => typeof name === "string")) return new Set(names);
  }
  const hint =
    typeof value === "boolean" ? "; it belongs next to properties, and lists the names of those required" : "";
  throw invalidSchema(place, `must be an array of property names, not ${showValue(value)}${hint}`);
}

/** The value of `enum`. */
export function readAllowedValues(value: unknown, place: Place): AllowedValues {
  if (!Array.isArray(value)) throw invalidSchema(place, `must be an array of values, not ${showValue(value)}`);
  return allow(value);
}

/** Longest string to find by a set: platforms hash only a part of longer ones, and compare these in full. */
const MAX_SHORT_LENGTH = 1_000;

/** Separates allowed values that a set finds at once from those that have to be compared. */
export function allow(list: readonly unknown[]): AllowedValues {
  return { list, short: new Set(list.filter(isShort)), long: list.filter((value) => !isShort(value)) };
}

function isShort(value: unknown): boolean {
  return typeof value === "string" ? value.length <= MAX_SHORT_LENGTH : typeof value !== "object" || value === null;
}

/** The members of a keyword that maps names to something. */
export function readMap(value: unknown, place: Place): readonly (readonly [string, unknown])[] {
  // Members that are `undefined` are not in the JSON.
  if (isObject(value)) return Object.entries(value).filter(([, member]) => member !== undefined);
  throw invalidSchema(place, `must be an object, not ${showValue(value)}`);
}

/** The members of a keyword that lists schemas. */
export function readList(value: unknown, place: Place): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0) return value;
  throw invalidSchema(place, `must be an array of at least one schema, not ${showValue(value)}`);
}
