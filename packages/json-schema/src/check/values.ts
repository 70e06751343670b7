import type { Place } from "../issues/issue.ts";
import { listAlternatives, nameType, showValue } from "../issues/words.ts";
import type { StepBudget } from "../patterns/step-budget.ts";
import type { AllowedValues, JsonType, SchemaNode } from "../read/schema-node.ts";
import { memberNames, type Members, readMember, showGiven } from "./members.ts";
import { type Run, TooDeep } from "./run.ts";

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

/** Texts of nested values in schemas, kept because a long value takes long to write. */
const shown = new WeakMap<object, string>();

/** Shows an allowed value in full if it is short, so that the reader can copy it. */
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

/** Deepest nesting of values to compare. */
const MAX_DEPTH = 1_000;

/** How many letters of strings can be compared, or copied, in the time of a step. */
const LETTERS_PER_STEP = 100;

/** Whether two values are equal as JSON: in any order of properties, and without those that are `undefined`. */
export function isEqual(one: unknown, other: unknown, budget: StepBudget): boolean {
  if (typeof one === "string" && typeof other === "string" && one.length === other.length) {
    budget.spend(Math.floor(one.length / LETTERS_PER_STEP));
  }
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  budget.spend(1);
  if (Array.isArray(one) || Array.isArray(other)) {
    return Array.isArray(one) && Array.isArray(other) && areItemsEqual(one, other, budget);
  }
  return areMembersEqual(one as Members, other as Members, budget);
}

function areItemsEqual(some: readonly unknown[], others: readonly unknown[], budget: StepBudget): boolean {
  if (some.length !== others.length) return false;
  budget.spend(some.length);
  return some.every((item, index) => isEqual(item, others[index], budget));
}

function areMembersEqual(one: Members, other: Members, budget: StepBudget): boolean {
  const names = memberNames(one, budget);
  return (
    names.length === memberNames(other, budget).length &&
    names.every((name) => isEqual(one[name], readMember(other, name), budget))
  );
}

/** Writes a text that is the same for two JSON values if and only if they are equal, to find duplicates in one pass. */
export function fingerprint(value: unknown, budget: StepBudget, depth = 0): string {
  budget.spend(typeof value === "string" ? value.length + 1 : 1);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const print = fingerprintMembers(value, budget, depth);
  // Every level copies what is below it.
  budget.spend(Math.floor(print.length / LETTERS_PER_STEP));
  return print;
}

function fingerprintMembers(value: object, budget: StepBudget, depth: number): string {
  if (depth > MAX_DEPTH) throw new TooDeep();
  if (Array.isArray(value)) return `[${value.map((item) => fingerprint(item, budget, depth + 1)).join()}]`;
  const members = memberNames(value as Members, budget).map((name) => {
    budget.spend(name.length);
    return `${JSON.stringify(name)}:${fingerprint((value as Members)[name], budget, depth + 1)}`;
  });
  return `{${members.toSorted().join()}}`;
}
