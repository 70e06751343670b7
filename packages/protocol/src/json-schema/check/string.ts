import type { Place } from "../place.ts";
import type { SchemaNode } from "../schema-node.ts";
import { countThings, shorten, showValue } from "../words.ts";
import type { Run } from "./run.ts";

/** Checks the keywords for strings. */
export function checkString(node: SchemaNode, value: string, place: Place | undefined, run: Run): void {
  const { minLength, maxLength, pattern, format } = node;
  if (minLength !== undefined || maxLength !== undefined) checkLength(node, value, place, run);
  // Who bounds the length does so to have no more looked at.
  if (value.length > 2 * (maxLength ?? Infinity)) return;
  if (pattern !== undefined && !pattern.test(value, run.budget)) {
    run.fail("pattern", place, () => `expected to match ${shorten(pattern.source)}, got ${showValue(value)}`);
  }
  if (format !== undefined) {
    run.budget.spend(value.length);
    if (!format.test(value)) run.fail("format", place, () => `expected ${format.description}, got ${showValue(value)}`);
  }
}

/** Lengths are in characters (code points), of which a string has between half and all of its `length`. */
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
