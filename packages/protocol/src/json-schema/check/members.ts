import { nameType, showValue } from "../words.ts";
import type { Run } from "./run.ts";

/** An object as a value to check. */
export type Members = Readonly<Record<string, unknown>>;

/** Listing the properties of a large object takes this much longer than looking one up. */
const STEPS_PER_NAME = 8;

/** How many properties can be looked up in the time of a step. */
const LOOKUPS_PER_STEP = 4;

/** Counts the looking up of properties, whether they are there or not: a schema may name a hundred thousand. */
export function countLookups(count: number, run: Run): void {
  run.budget.spend(Math.floor(count / LOOKUPS_PER_STEP));
}

/** The value of a property of the object itself. What is `undefined` will not be in the JSON, so it is not there. */
export function readMember(value: Members, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The names of the properties that will be in the JSON. */
export function memberNames(value: Members, run: Run): readonly string[] {
  const names = Object.keys(value);
  run.budget.spend(names.length * STEPS_PER_NAME);
  return names.filter((name) => value[name] !== undefined);
}

/** Shows a value that came, in a message. Of an object, that takes its names. */
export function showGiven(value: unknown, run: Run): string {
  if (nameType(value) === "object") memberNames(value as Members, run);
  return showValue(value);
}
