import type { SchemaNode } from "../read/schema-node.ts";
import { countLookups, readMember, type Members } from "./members.ts";
import type { Run } from "./run.ts";

/** The properties that `unevaluatedProperties` does not apply to. */
export interface EvaluatedProperties {
  has(name: string): boolean;
}

/** The items that `unevaluatedItems` does not apply to: the first `count`, and some others. */
export interface EvaluatedItems {
  readonly count: number;
  readonly others: ReadonlySet<number>;
}

const EVERYTHING: EvaluatedProperties = { has: () => true };

/** The subschemas that apply to the same value as the node, and that the value fits. */
function* applicable(node: SchemaNode, value: unknown, run: Run): Generator<SchemaNode> {
  if (node.$ref !== undefined) yield node.$ref;
  yield* node.allOf ?? [];
  for (const forms of [node.anyOf, node.oneOf]) {
    for (const form of forms ?? []) if (run.passes(form, value)) yield form;
  }
  if (node.if !== undefined) {
    const holds = run.passes(node.if, value);
    if (holds) yield node.if;
    const branch = holds ? node.whenTrue : node.whenFalse;
    if (branch !== undefined) yield branch;
  }
}

/** Finds the properties that the node, or a subschema for the same object, has a schema for (2020-12 core, 11.3). */
export function findEvaluatedProperties(
  node: SchemaNode,
  value: Members,
  names: readonly string[],
  run: Run,
): EvaluatedProperties {
  const evaluated = new Set<string>();
  return collect(node, true) ? EVERYTHING : evaluated;

  /** Returns true if all properties are evaluated. */
  function collect(part: SchemaNode, isStart: boolean): boolean {
    run.budget.spend(1);
    if (part.additionalProperties !== undefined || (!isStart && part.unevaluatedProperties !== undefined)) return true;
    if (part.properties !== undefined) {
      countLookups(names.length, run);
      for (const name of names) if (part.properties.has(name)) evaluated.add(name);
    }
    for (const pattern of part.patternProperties?.keys() ?? []) {
      for (const name of names) if (pattern.test(name, run.budget)) evaluated.add(name);
    }
    countLookups(part.dependentSchemas?.size ?? 0, run);
    for (const [name, dependent] of part.dependentSchemas ?? []) {
      if (readMember(value, name) !== undefined && collect(dependent, false)) return true;
    }
    for (const subschema of applicable(part, value, run)) if (collect(subschema, false)) return true;
    return false;
  }
}

/** Finds the items that the node, or a subschema for the same array, has a schema for (2020-12 core, 11.2). */
export function findEvaluatedItems(node: SchemaNode, value: readonly unknown[], run: Run): EvaluatedItems {
  let count = 0;
  const others = new Set<number>();
  collect(node, true);
  return { count, others };

  function collect(part: SchemaNode, isStart: boolean): void {
    run.budget.spend(1);
    count = Math.max(count, part.prefixItems?.length ?? 0);
    if (part.items !== undefined || (!isStart && part.unevaluatedItems !== undefined)) count = value.length;
    if (part.contains !== undefined && !part.leavesContained) {
      for (const [index, item] of value.entries()) if (run.passes(part.contains, item)) others.add(index);
    }
    for (const subschema of applicable(part, value, run)) collect(subschema, false);
  }
}
