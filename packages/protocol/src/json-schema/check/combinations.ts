import type { Place } from "../place.ts";
import type { SchemaNode } from "../schema-node.ts";
import { describeExpected } from "./expected.ts";
import { showGiven } from "./members.ts";
import type { Run } from "./run.ts";
import { explainUnion } from "./union.ts";

/** Checks the keywords that apply other schemas to the same value. */
export function checkCombinations(node: SchemaNode, value: unknown, place: Place | undefined, run: Run): void {
  const { $ref, allOf, anyOf, oneOf, not } = node;
  if ($ref !== undefined) run.check($ref, value, place);
  for (const part of allOf ?? []) {
    if (run.isSettled) return;
    run.check(part, value, place);
  }
  if (anyOf !== undefined && !run.isSettled && !anyOf.some((form) => run.passes(form, value))) {
    explainUnion(anyOf, value, place, run);
  }
  if (oneOf !== undefined && !run.isSettled) checkOneOf(oneOf, value, place, run);
  if (not !== undefined && !run.isSettled && run.passes(not, value)) {
    run.fail("not", place, () => {
      const unwanted = describeExpected(not, run) ?? "what the schema excludes";
      return `expected anything but ${unwanted}, got ${showGiven(value, run)}`;
    });
  }
  if (node.if !== undefined && !run.isSettled) {
    const branch = run.passes(node.if, value) ? node.whenTrue : node.whenFalse;
    if (branch !== undefined) run.check(branch, value, place);
  }
}

function checkOneOf(forms: readonly SchemaNode[], value: unknown, place: Place | undefined, run: Run): void {
  const matching: number[] = [];
  for (const [index, form] of forms.entries()) {
    if (run.passes(form, value)) matching.push(index + 1);
    if (matching.length > 1) break;
  }
  if (matching.length === 0) explainUnion(forms, value, place, run);
  if (matching.length > 1) {
    const which = matching.join(" and ");
    run.fail("union", place, () => `expected to match one of ${forms.length} forms, but matches forms ${which}`);
  }
}
