import type { SchemaNode } from "../schema-node.ts";
import { listAlternatives } from "../words.ts";
import type { Run } from "./run.ts";
import { listValues } from "./value.ts";

const MAX_DEPTH = 3;
const MAX_FORMS = 5;

/** What it takes to describe one node, which may list ten values. */
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
