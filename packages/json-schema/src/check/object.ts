import { step, type Place } from "../issues/issue.ts";
import { countThings, findNearestName, listAlternatives, shorten } from "../issues/words.ts";
import type { SchemaNode } from "../read/schema-node.ts";
import { describeExpected } from "./combinations.ts";
import { countLookups, memberNames, possibleProperties, readMember, type Members } from "./members.ts";
import type { Run } from "./run.ts";
import { findEvaluatedProperties } from "./unevaluated.ts";

/** Checks the keywords for objects. */
export function checkObject(node: SchemaNode, value: Members, place: Place | undefined, run: Run): void {
  if (node.required !== undefined) checkRequired(node, value, place, run);
  if (node.properties !== undefined) checkProperties(node, value, place, run);
  if (needsNames(node) && !run.isSettled) checkNames(node, value, place, run);
  if (node.dependentRequired !== undefined) checkDependentRequired(node, value, place, run);
  if (node.dependentSchemas !== undefined) checkDependentSchemas(node.dependentSchemas, value, place, run);
  if (node.unevaluatedProperties !== undefined && !run.isSettled) {
    const names = memberNames(value, run.budget);
    const evaluated = findEvaluatedProperties(node, value, names, run);
    for (const name of names) {
      if (run.isSettled) return;
      if (!evaluated.has(name)) checkAdditional(node, node.unevaluatedProperties, value, name, place, run);
    }
  }
}

function checkRequired(node: SchemaNode, value: Members, place: Place | undefined, run: Run): void {
  const names = node.requiredList;
  countLookups(names.length, run);
  for (const name of names) {
    if (readMember(value, name) === undefined) failMissing(node, name, "", place, run);
  }
}

function checkProperties(node: SchemaNode, value: Members, place: Place | undefined, run: Run): void {
  for (const [name, member] of possibleProperties(node, value, run)) {
    if (run.isSettled) return;
    const found = readMember(value, name);
    if (found !== undefined) run.checkMember(member, found, place, name);
  }
}

function checkDependentSchemas(
  schemas: ReadonlyMap<string, SchemaNode>,
  value: Members,
  place: Place | undefined,
  run: Run,
): void {
  countLookups(schemas.size, run);
  for (const [name, dependent] of schemas) {
    if (run.isSettled) return;
    if (readMember(value, name) !== undefined) run.check(dependent, value, place);
  }
}

function failMissing(node: SchemaNode, name: string, reason: string, place: Place | undefined, run: Run): void {
  run.fail("required", step(place, name), () => {
    const property = node.properties?.get(name);
    const expected = property && describeExpected(property, run);
    return `missing required field${expected === undefined ? "" : ` (${expected})`}${reason}`;
  });
}

function checkDependentRequired(node: SchemaNode, value: Members, place: Place | undefined, run: Run): void {
  countLookups(node.dependentRequired?.size ?? 0, run);
  for (const [name, needed] of node.dependentRequired ?? []) {
    if (readMember(value, name) === undefined) continue;
    run.budget.spend(needed.size);
    const reason = `, which goes with ${shorten(name)}`;
    for (const other of needed) {
      if (readMember(value, other) === undefined) failMissing(node, other, reason, place, run);
    }
  }
}

/** Whether the properties have to be listed, rather than looked up one by one. */
function needsNames(node: SchemaNode): boolean {
  return (
    node.additionalProperties !== undefined ||
    node.patternProperties !== undefined ||
    node.propertyNames !== undefined ||
    node.minProperties !== undefined ||
    node.maxProperties !== undefined
  );
}

function checkNames(node: SchemaNode, value: Members, place: Place | undefined, run: Run): void {
  const { minProperties = 0, maxProperties = Infinity } = node;
  const names = memberNames(value, run.budget);
  if (names.length < minProperties) {
    run.fail("property-count", place, () => `expected at least ${countProperties(minProperties)}, got ${names.length}`);
  }
  if (names.length > maxProperties) {
    run.fail("property-count", place, () => `expected at most ${countProperties(maxProperties)}, got ${names.length}`);
  }
  if (node.propertyNames !== undefined) checkPropertyNames(node.propertyNames, names, place, run);
  for (const name of names) {
    if (run.isSettled) return;
    const isKnown = checkByPattern(node, name, value[name], place, run) || node.properties?.has(name) === true;
    if (!isKnown && node.additionalProperties !== undefined) {
      checkAdditional(node, node.additionalProperties, value, name, place, run);
    }
  }
}

/** Checks a property by each pattern that its name matches. False if there is none. */
function checkByPattern(node: SchemaNode, name: string, value: unknown, place: Place | undefined, run: Run): boolean {
  let isMatched = false;
  if (node.patternProperties === undefined) return isMatched;
  for (const [pattern, member] of node.patternProperties) {
    if (!pattern.test(name, run.budget)) continue;
    isMatched = true;
    run.checkMember(member, value, place, name);
  }
  return isMatched;
}

function checkPropertyNames(node: SchemaNode, names: readonly string[], place: Place | undefined, run: Run): void {
  for (const name of names) {
    if (run.isSettled) return;
    if (run.passes(node, name)) continue;
    const reasons = run.explains ? run.explain(node, name, undefined).map(({ message }) => message) : [];
    run.fail("property-name", step(place, name), () => `a property cannot have this name: ${reasons.join("; ")}`);
  }
}

/** Checks a property that has no schema of its own. */
function checkAdditional(
  node: SchemaNode,
  additional: SchemaNode,
  value: Members,
  name: string,
  place: Place | undefined,
  run: Run,
): void {
  if (!additional.never) run.checkMember(additional, value[name], place, name);
  else run.fail("unknown-property", step(place, name), () => `unknown property${suggestName(node, name, value, run)}`);
}

function suggestName(node: SchemaNode, name: string, value: Members, run: Run): string {
  countLookups(node.properties?.size ?? 0, run);
  const free = [...(node.properties?.keys() ?? [])].filter((known) => readMember(value, known) === undefined);
  const nearest = findNearestName(name, free, run.budget);
  if (nearest !== undefined) return `; did you mean ${JSON.stringify(nearest)}?`;
  return free.length === 0 ? "" : `; known and not given: ${listAlternatives(free, (each) => shorten(each))}`;
}

function countProperties(count: number): string {
  return countThings(count, "property", "properties");
}
