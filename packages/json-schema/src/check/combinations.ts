import { type Place, type SchemaIssue, step } from "../issues/issue.ts";
import { listAlternatives, nameType } from "../issues/words.ts";
import type { AllowedValues, JsonType, SchemaNode } from "../read/schema-node.ts";
import { type Members, readMember, showGiven } from "./members.ts";
import type { Run } from "./run.ts";
import { describeValue, hasType, isAllowed, isEqual, listValues } from "./values.ts";

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

/** Unions inside unions inside unions are named, but not explained. */
const MAX_NESTED_UNIONS = 3;
const MAX_FORMS_TRIED = 20;
const MAX_ISSUES_OF_A_FORM = 5;

/**
 * Explains why a value matches none of several forms, by the form that was evidently meant. Issues of the other forms would
 * only distract.
 */
function explainUnion(forms: readonly SchemaNode[], value: unknown, place: Place | undefined, run: Run): void {
  const failed = (): string => `matches none of the ${forms.length} allowed forms`;
  if (!run.explains || run.unions >= MAX_NESTED_UNIONS) return run.fail("union", place, failed);

  run.budget.spend(forms.length);
  const values = collectFixedValues(forms, run);
  if (values !== undefined && !values.some((each) => isEqual(each, value, run.budget))) {
    return run.fail("enum", place, () => `expected ${listValues(values)}, got ${showGiven(value, run)}`);
  }
  const ofType = forms.filter((form) => admitsType(form, value));
  if (ofType.length === 0) {
    const types = new Set(forms.flatMap((form) => typesOf(form) ?? []));
    return run.fail("type", place, () => `expected ${listAlternatives([...types])}, got ${describeValue(value)}`);
  }
  const meant = selectByDiscriminator(ofType, value, place, run);
  if (meant.length === 0) return undefined;

  run.unions++;
  const [closest, ...others] = meant
    .slice(0, MAX_FORMS_TRIED)
    .map((form) => ({ form, issues: run.explain(form, value, place) }))
    .toSorted((a, b) => a.issues.length - b.issues.length);
  run.unions--;
  if (closest === undefined) return run.fail("union", place, failed);
  if (others.length > 0) {
    const number = forms.indexOf(closest.form) + 1;
    run.fail("union", place, () => `${failed()}; form ${number} comes closest, and fails as follows`);
  }
  return addAll(closest.issues.slice(0, others.length > 0 ? MAX_ISSUES_OF_A_FORM : undefined), run);
}

function addAll(issues: readonly SchemaIssue[], run: Run): void {
  for (const issue of issues) run.add(issue);
}

/** All values that the forms allow, if each form lists its values. */
function collectFixedValues(forms: readonly SchemaNode[], run: Run): readonly unknown[] | undefined {
  const fixed = forms.map(fixedValuesOf);
  return fixed.every((allowed) => allowed !== undefined) ? joinLists(fixed, run) : undefined;
}

/** Joins lists of values, and counts them first: thousands of forms can refer to one long list. */
function joinLists(fixed: readonly AllowedValues[], run: Run): readonly unknown[] {
  for (const { list } of fixed) run.budget.spend(list.length);
  return fixed.flatMap(({ list }) => list);
}

/**
 * Selects the forms that were meant by a discriminator: a property that every form fixes to its own values. If the value has
 * none of these, reports only that, and selects no form.
 */
function selectByDiscriminator(
  forms: readonly SchemaNode[],
  value: unknown,
  place: Place | undefined,
  run: Run,
): readonly SchemaNode[] {
  if (forms.length < 2 || nameType(value) !== "object") return forms;
  for (const name of propertiesOf(forms[0])?.keys() ?? []) {
    run.budget.spend(forms.length);
    const fixed = forms.map((form) => fixedValuesOf(propertiesOf(form)?.get(name)));
    if (!fixed.every((allowed) => allowed !== undefined)) continue;
    const given = readMember(value as Members, name);
    if (given === undefined && !forms.every((form) => follow(form)?.required?.has(name))) continue;
    const selected = forms.filter((_, index) => fixed[index] && isAllowed(given, fixed[index], run));
    if (selected.length === 0) {
      const allowed = joinLists(fixed, run);
      const isGiven = given !== undefined;
      run.fail(isGiven ? "enum" : "required", step(place, name), () =>
        isGiven
          ? `expected ${listValues(allowed)}, got ${showGiven(given, run)}`
          : `missing required field (${listValues(allowed)})`,
      );
    }
    return selected;
  }
  return forms;
}

/** Follows references: a form is often a reference to its definition. */
function follow(node: SchemaNode | undefined): SchemaNode | undefined {
  let target = node;
  for (let hops = 0; hops < 10 && target?.$ref !== undefined && target.type === undefined; hops++) target = target.$ref;
  return target;
}

function admitsType(node: SchemaNode, value: unknown): boolean {
  const types = typesOf(node);
  return types === undefined || hasType(value, types);
}

function typesOf(node: SchemaNode): readonly JsonType[] | undefined {
  return follow(node)?.type;
}

function propertiesOf(node: SchemaNode | undefined): ReadonlyMap<string, SchemaNode> | undefined {
  return follow(node)?.properties;
}

function fixedValuesOf(node: SchemaNode | undefined): AllowedValues | undefined {
  const target = follow(node);
  return target?.const ?? target?.enum;
}

const MAX_DEPTH = 3;
const MAX_FORMS = 5;

/** Steps for describing one node, which may list ten values. */
const STEPS_PER_NODE = 50;

/** Says in a few words what a schema expects, if that can be said: `string`, `array of number`, `"a" or "b"`. */
export function describeExpected(node: SchemaNode, run: Run, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  run.budget.spend(STEPS_PER_NODE);
  const fixed = node.const ?? node.enum;
  if (fixed !== undefined) return listValues(fixed.list);
  if (node.type !== undefined) return listAlternatives(node.type, (type) => describeType(node, type, run, depth));
  if (node.$ref !== undefined) return describeExpected(node.$ref, run, depth + 1);
  const forms = node.anyOf ?? node.oneOf ?? [];
  if (forms.length === 0 || forms.length > MAX_FORMS) return undefined;
  const descriptions = forms.map((form) => describeExpected(form, run, depth + 1));
  return descriptions.every((form) => form !== undefined) ? listAlternatives([...new Set(descriptions)]) : undefined;
}

function describeType(node: SchemaNode, type: string, run: Run, depth: number): string {
  if (type === "string" && node.format !== undefined) return node.format.description;
  const items = type === "array" && node.items !== undefined ? describeExpected(node.items, run, depth + 1) : undefined;
  return items === undefined ? type : `array of ${items}`;
}
