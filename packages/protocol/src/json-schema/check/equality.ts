import type { StepBudget } from "../../linear-regexp/index.ts";
import { memberNames, readMember, type Members } from "./members.ts";
import { TooDeep } from "./run.ts";

/** Nesting beyond this is not followed when values are compared. */
const MAX_DEPTH = 1_000;

/** How many letters of strings can be compared, or copied, in the time of a step. */
const LETTERS_PER_STEP = 100;

/** Whether two JSON values are equal, whatever the order of properties. What is `undefined` will not be in the JSON. */
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

/** A text that two JSON values share if and only if they are equal, so that duplicates are found in one pass. */
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
