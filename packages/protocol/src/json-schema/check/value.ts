import type { Place } from "../place.ts";
import type { AllowedValues, JsonType, SchemaNode } from "../schema-node.ts";
import { listAlternatives, nameType, showValue } from "../words.ts";
import { isEqual } from "./equality.ts";
import { showGiven } from "./members.ts";
import type { Run } from "./run.ts";

/** Checks `type`. False if the value is of another type. */
export function checkType(node: SchemaNode, value: unknown, place: Place | undefined, run: Run): boolean {
  const { type } = node;
  if (type === undefined || hasType(value, type)) return true;
  run.fail("type", place, () => `expected ${listAlternatives(type)}, got ${describeValue(value)}`);
  return false;
}

/** Whether a value is of one of these types. */
export function hasType(value: unknown, types: readonly JsonType[]): boolean {
  for (const type of types) if (isOfType(value, type)) return true;
  return false;
}

function isOfType(value: unknown, type: JsonType): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "number":
      // JSON has no NaN and no infinities.
      return Number.isFinite(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

/** Checks `enum` and `const`. False if the value is another one. */
export function checkFixedValues(node: SchemaNode, value: unknown, place: Place | undefined, run: Run): boolean {
  return (
    (node.const === undefined || checkAllowed("const", node.const, value, place, run)) &&
    (node.enum === undefined || checkAllowed("enum", node.enum, value, place, run))
  );
}

function checkAllowed(
  kind: "const" | "enum",
  allowed: AllowedValues,
  value: unknown,
  place: Place | undefined,
  run: Run,
): boolean {
  if (isAllowed(value, allowed, run)) return true;
  run.fail(kind, place, () => `expected ${listValues(allowed.list)}, got ${showGiven(value, run)}`);
  return false;
}

/** Whether a value is one of those allowed. */
export function isAllowed(value: unknown, { short, long }: AllowedValues, run: Run): boolean {
  if (short.has(value)) return true;
  run.budget.spend(long.length);
  return long.some((candidate) => isEqual(candidate, value, run.budget));
}

/** Lists allowed values for a message. */
export function listValues(values: readonly unknown[]): string {
  return listAlternatives(values, showNested);
}

/** What nested values of schemas look like: one that takes long to write is written once. */
const shown = new WeakMap<object, string>();

/** Allowed values are shown in full where they are short, because they are to be copied. */
function showNested(value: unknown): string {
  if (typeof value !== "object" || value === null) return showValue(value);
  let text = shown.get(value);
  if (text === undefined) {
    const json = JSON.stringify(value);
    text = json.length <= 60 ? json : showValue(value);
    shown.set(value, text);
  }
  return text;
}

/** Names the type of a value and, if it is flat, the value: `string "abc"`. */
export function describeValue(value: unknown): string {
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isPlain ? `${nameType(value)} ${showValue(value)}` : nameType(value);
}
