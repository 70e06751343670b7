import { isObject, type JsonSchemaObject } from "@toolwire/protocol/internal";
import { ARGUMENT_NAME } from "../rules/root.ts";
import type { Keywords } from "../walk/schema-nodes.ts";
import { areObjects, mergeObjects } from "./merge.ts";
import { rewrite } from "./rewrite.ts";
import { note, type Rewriting, type SchemaChange } from "./rewriting.ts";

export type { SchemaChange } from "./rewriting.ts";

/** The options of {@link toPortable}. */
export interface PortableOptions {
  /** How many objects and lists may be nested. Deeper ones are only named. Default 10, as in OpenAI's strict mode. */
  readonly maxLevels?: number | undefined;
  /** How many schemas the result may have, after references are replaced. Default 2000. */
  readonly maxSchemas?: number | undefined;
}

/** A schema that all APIs take. */
export interface PortableSchema {
  readonly schema: JsonSchemaObject;
  /** What is different from the original. Empty if nothing is that a caller could notice. */
  readonly changes: readonly SchemaChange[];
  /** Gives arguments the names back that they have in the original. Returns the same object if none has another one. */
  readonly restore: (args: object) => object;
}

/**
 * Rewrites the input of a tool so that the APIs of Anthropic, OpenAI and Gemini take it: an object at the root, one type in each place,
 * no references, and no keywords but those that all of them have. What is left out is said in descriptions where that is possible.
 *
 * Whatever fits the original fits the result, but null where a property can be left out. The other way round, it does not: check
 * arguments against the original, after `restore`.
 */
export function toPortable(input: JsonSchemaObject, options: PortableOptions = {}): PortableSchema {
  const { maxLevels = 10, maxSchemas = 2_000 } = options;
  const work: Rewriting = { root: input, maxLevels, left: maxSchemas, changes: [] };
  const { schema, names } = withLegalNames(rewriteRoot(input, work), work);
  return {
    schema: schema as JsonSchemaObject,
    changes: work.changes,
    restore: (args) => (names.size === 0 ? args : restoreNames(args, names)),
  };
}

/** Rewrites the root, and makes one object of a union there. */
function rewriteRoot(input: Keywords, work: Rewriting): Keywords {
  const whole = rewrite(input, { path: [], level: 0, within: [input], isOptional: false }, work);
  const { anyOf, ...own } = whole;
  if (!Array.isArray(anyOf)) return asObject(whole, work);
  const cases = (anyOf as readonly Keywords[]).filter(({ type }) => type !== "null");
  note(work, [], "the cases at the root are written as one object with the properties of all");
  if (!areObjects(cases)) return asObject(own, work);
  const { description } = own;
  return asObject({ ...mergeObjects(cases, "any"), ...(typeof description === "string" && { description }) }, work);
}

/** The keywords that the root of an input can have besides its properties. */
const OF_ROOT: ReadonlySet<string> = new Set(
  "title description default required additionalProperties minProperties maxProperties".split(" "),
);

function asObject(schema: Keywords, work: Rewriting): Keywords {
  const rest = Object.fromEntries(Object.entries(schema).filter(([keyword]) => OF_ROOT.has(keyword)));
  const { properties } = schema;
  if (isObject(properties)) return { type: "object", properties, ...rest };
  if (!isObject(work.root["properties"])) note(work, [], "`properties` is added");
  const { required: _required, ...others } = rest;
  return { type: "object", properties: {}, ...others };
}

/** Renames arguments whose names an API refuses. The names are those of the result, with the originals. */
function withLegalNames(
  schema: Keywords,
  work: Rewriting,
): { readonly schema: Keywords; readonly names: ReadonlyMap<string, string> } {
  const properties = Object.entries(schema["properties"] as Keywords);
  const names = new Map<string, string>();
  if (properties.every(([name]) => ARGUMENT_NAME.test(name))) return { schema, names };
  const taken = new Set(properties.map(([name]) => name));
  const legal = new Map<string, string>();
  for (const [name] of properties) {
    if (ARGUMENT_NAME.test(name)) continue;
    const made = unusedName(name, taken);
    taken.add(made);
    legal.set(name, made);
    names.set(made, name);
    note(work, ["properties", name], `the argument is called ${JSON.stringify(made)}`);
  }
  const required = Array.isArray(schema["required"]) ? (schema["required"] as readonly string[]) : undefined;
  const renamed = {
    ...schema,
    properties: Object.fromEntries(properties.map(([name, member]) => [legal.get(name) ?? name, member])),
    ...(required !== undefined && { required: required.map((name) => legal.get(name) ?? name) }),
  };
  return { schema: renamed, names };
}

/** A name that is accepted, and that no other argument has. */
function unusedName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_.-]+/g, "_").slice(0, 56) || "argument";
  let made = plain;
  for (let count = 2; taken.has(made); count++) made = `${plain}_${count}`;
  return made;
}

function restoreNames(args: object, names: ReadonlyMap<string, string>): object {
  const entries = Object.entries(args);
  if (!entries.some(([name]) => names.has(name))) return args;
  return Object.fromEntries(entries.map(([name, value]) => [names.get(name) ?? name, value]));
}
