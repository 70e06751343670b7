import type { Place } from "../issues/issue.ts";
import { countThings } from "../issues/words.ts";
import type { SchemaNode } from "../read/schema-node.ts";
import { describeExpected } from "./combinations.ts";
import type { Run } from "./run.ts";
import { findEvaluatedItems } from "./unevaluated.ts";
import { fingerprint } from "./values.ts";

const MAX_SHORT_PRINT = 10_000;

/** How many letters of two fingerprints can be compared in the time of a step. */
const LETTERS_PER_STEP = 1_000;

/** Checks the keywords for arrays. */
export function checkArray(node: SchemaNode, value: readonly unknown[], place: Place | undefined, run: Run): void {
  checkCount(node, value.length, place, run);
  checkItems(node, value, place, run);
  if (node.contains !== undefined && !run.isSettled) checkContains(node, node.contains, value, place, run);
  if (node.uniqueItems && !run.isSettled) checkUnique(value, place, run);
  if (node.unevaluatedItems !== undefined && !run.isSettled) {
    const evaluated = findEvaluatedItems(node, value, run);
    checkRest(node.unevaluatedItems, value, place, run, evaluated);
  }
}

function checkCount(node: SchemaNode, count: number, place: Place | undefined, run: Run): void {
  const { minItems = 0, maxItems = Infinity } = node;
  if (count < minItems) run.fail("item-count", place, () => `expected at least ${countItems(minItems)}, got ${count}`);
  if (count > maxItems) run.fail("item-count", place, () => `expected at most ${countItems(maxItems)}, got ${count}`);
}

function checkItems(node: SchemaNode, value: readonly unknown[], place: Place | undefined, run: Run): void {
  const { prefixItems, items } = node;
  if (prefixItems !== undefined) {
    for (const [index, item] of prefixItems.entries()) {
      if (index >= value.length || run.isSettled) break;
      run.checkMember(item, value[index], place, index);
    }
  }
  if (items !== undefined) checkRest(items, value, place, run, { count: prefixItems?.length ?? 0 });
}

/** Checks the items that no other keyword has checked. */
function checkRest(
  node: SchemaNode,
  value: readonly unknown[],
  place: Place | undefined,
  run: Run,
  dealtWith: { readonly count: number; readonly others?: ReadonlySet<number> },
): void {
  if (node.never && value.length > dealtWith.count && dealtWith.others === undefined) {
    const { count } = dealtWith;
    run.fail("item-count", place, () => `expected at most ${countItems(count)}, got ${value.length}`);
    return;
  }
  for (let index = dealtWith.count; index < value.length && !run.isSettled; index++) {
    if (!dealtWith.others?.has(index)) run.checkMember(node, value[index], place, index);
  }
}

function checkContains(
  { minContains = 1, maxContains = Infinity }: SchemaNode,
  wanted: SchemaNode,
  value: readonly unknown[],
  place: Place | undefined,
  run: Run,
): void {
  let found = 0;
  for (const item of value) {
    if (run.passes(wanted, item)) found++;
    if (found > maxContains || (found >= minContains && maxContains === Infinity)) break;
  }
  if (found < minContains) {
    run.fail("contains", place, () => {
      const what = describeExpected(wanted, run);
      return `expected at least ${countItems(minContains)} of one kind${what ? ` (${what})` : ""}, got ${found}`;
    });
  }
  if (found > maxContains) {
    run.fail("contains", place, () => `expected at most ${countItems(maxContains)} of one kind, got more`);
  }
}

function checkUnique(value: readonly unknown[], place: Place | undefined, run: Run): void {
  const seen = new Map<string, number>();
  let long = 0;
  for (const [index, item] of value.entries()) {
    const print = fingerprint(item, run.budget);
    // Counts comparisons: platforms hash only a part of a long string, and compare it with all others of its length.
    if (print.length > MAX_SHORT_PRINT) run.budget.spend(Math.floor((long++ * print.length) / LETTERS_PER_STEP));
    const first = seen.get(print);
    if (first !== undefined) {
      run.fail("unique", place, () => `expected no two equal items, but items ${first} and ${index} are`);
      return;
    }
    seen.set(print, index);
  }
}

function countItems(count: number): string {
  return countThings(count, "item", "items");
}
