import type { Place } from "../issues/issue.ts";
import { countThings, shorten, showValue } from "../issues/words.ts";
import type { SchemaNode } from "../read/schema-node.ts";
import type { Run } from "./run.ts";

/** Checks the keywords for numbers. */
export function checkNumber(node: SchemaNode, value: number, place: Place | undefined, run: Run): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  if (minimum !== undefined && !(value >= minimum)) {
    run.fail("minimum", place, () => `expected at least ${minimum}, got ${value}`);
  }
  if (maximum !== undefined && !(value <= maximum)) {
    run.fail("maximum", place, () => `expected at most ${maximum}, got ${value}`);
  }
  if (exclusiveMinimum !== undefined && !(value > exclusiveMinimum)) {
    run.fail("minimum", place, () => `expected more than ${exclusiveMinimum}, got ${value}`);
  }
  if (exclusiveMaximum !== undefined && !(value < exclusiveMaximum)) {
    run.fail("maximum", place, () => `expected less than ${exclusiveMaximum}, got ${value}`);
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    run.fail("multiple-of", place, () => `expected a multiple of ${multipleOf}, got ${value}`);
  }
}

/**
 * Whether one number is a multiple of another. In binary, 19.99 / 0.01 is not quite 1999, so differences that rounding explains
 * are accepted. Between integers there are none.
 */
export function isMultiple(value: number, divisor: number): boolean {
  if (value % divisor === 0) return true;
  if (Number.isInteger(value) && Number.isInteger(divisor)) return false;
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * 4 * Number.EPSILON;
}

/** Checks the keywords for strings. */
export function checkString(node: SchemaNode, value: string, place: Place | undefined, run: Run): void {
  const { minLength, maxLength, pattern, format } = node;
  if (minLength !== undefined || maxLength !== undefined) checkLength(node, value, place, run);
  // Skips pattern and format for a text that is much too long: the length bounds their work.
  if (value.length > 2 * (maxLength ?? Infinity)) return;
  if (pattern !== undefined && !pattern.test(value, run.budget)) {
    run.fail("pattern", place, () => `expected to match ${shorten(pattern.source)}, got ${showValue(value)}`);
  }
  if (format !== undefined) {
    run.budget.spend(value.length);
    if (!format.test(value)) run.fail("format", place, () => `expected ${format.description}, got ${showValue(value)}`);
  }
}

/** Counts code points, as JSON Schema does. A string has between half and all of its `length`. */
function checkLength(node: SchemaNode, value: string, place: Place | undefined, run: Run): void {
  const { minLength = 0, maxLength = Infinity } = node;
  const isSurelyEnough = Math.ceil(value.length / 2) >= minLength;
  if (isSurelyEnough && value.length <= maxLength) return;
  run.budget.spend(value.length);
  let length = 0;
  for (const _ of value) length++;
  if (length < minLength) {
    run.fail(
      "length",
      place,
      () => `expected at least ${countCharacters(minLength)}, got ${length}: ${showValue(value)}`,
    );
  }
  if (length > maxLength) {
    run.fail(
      "length",
      place,
      () => `expected at most ${countCharacters(maxLength)}, got ${length}: ${showValue(value)}`,
    );
  }
}

function countCharacters(count: number): string {
  return countThings(count, "character", "characters");
}
