import type { Place } from "../place.ts";
import type { SchemaNode } from "../schema-node.ts";
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
 * Whether one number is a multiple of another. In binary, 19.99 / 0.01 is not quite 1999: what rounding can explain is
 * forgiven. Between integers it explains nothing.
 */
export function isMultiple(value: number, divisor: number): boolean {
  if (value % divisor === 0) return true;
  if (Number.isInteger(value) && Number.isInteger(divisor)) return false;
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * 4 * Number.EPSILON;
}
