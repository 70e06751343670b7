import { nameType, showValue } from "../issues/words.ts";
import type { StepBudget } from "../patterns/step-budget.ts";
import type { SchemaNode } from "../read/schema-node.ts";
import type { Run } from "./run.ts";

/** An object as a value to check. */
export type Members = Readonly<Record<string, unknown>>;

/** Platforms store objects with more properties as hash tables, and listing one of their properties takes several steps. */
const LARGE = 1_000;
const STEPS_PER_NAME_OF_LARGE = 8;

/** Most properties of a schema that are looked up one by one. With more, the properties of the object are listed. */
const FEW = 100;

/** How many properties can be looked up in the time of a step. */
const LOOKUPS_PER_STEP = 4;

/** Counts lookups of properties, present or not: a schema may name a hundred thousand. */
export function countLookups(count: number, run: Run): void {
  if (count >= LOOKUPS_PER_STEP) run.budget.spend(Math.floor(count / LOOKUPS_PER_STEP));
}

/** The value of an own property. One that is `undefined` counts as absent, because JSON leaves it out. */
export function readMember(value: Members, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The names of the properties that will be in the JSON. */
export function memberNames(value: Members, budget: StepBudget): readonly string[] {
  const names = Object.keys(value);
  budget.spend(names.length * (names.length > LARGE ? STEPS_PER_NAME_OF_LARGE : 1));
  // Copies the names only if need be: nearly all objects come from JSON, where nothing is `undefined`.
  for (const name of names) if (value[name] === undefined) return names.filter((each) => value[each] !== undefined);
  return names;
}

/** The properties of a schema to look up in an object: all, or those that the object has if the schema has many. */
export function possibleProperties(
  node: SchemaNode,
  value: Members,
  run: Run,
): readonly (readonly [string, SchemaNode])[] {
  const all = node.propertyList;
  const names = all.length > FEW ? memberNames(value, run.budget) : undefined;
  if (names !== undefined && names.length < all.length) {
    return names.flatMap((name) => {
      const member = node.properties?.get(name);
      return member === undefined ? [] : [[name, member] as const];
    });
  }
  countLookups(all.length, run);
  return all;
}

/** Shows a value that came, in a message. Of an object, that takes its names. */
export function showGiven(value: unknown, run: Run): string {
  if (nameType(value) === "object") memberNames(value as Members, run.budget);
  return showValue(value);
}
