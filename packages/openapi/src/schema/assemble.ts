import type { JsonSchema, JsonSchemaObject } from "@toolwire/server";
import { isMembers, type JsonMembers } from "../document/json-value.ts";
import { countBytes } from "../document/parse-document.ts";
import type { SchemaConverter } from "./convert.ts";
import { cleanDescription } from "./describe.ts";
import { typesOf } from "./types.ts";

/** The most bytes of the schema of a tool, about 16,000 tokens. */
const MAX_SCHEMA_BYTES = 64 * 1024;

/** The length of descriptions in schemas that would be too large otherwise. */
const SHORT_DESCRIPTION = 120;

/** The most levels of a root that is too large by itself. */
const MAX_LEVELS = 8;

/** A schema of a tool, complete, and what was left out to make it fit. */
export interface AssembledSchema {
  readonly schema: JsonSchemaObject;
  readonly bytes: number;
  readonly notes: readonly string[];
}

/**
 * Adds the definitions that a schema refers to. If the result is too large, descriptions are shortened, and then definitions are
 * left out, those farthest from the root first: they accept anything of their type.
 */
export function assembleSchema(
  root: JsonSchemaObject,
  references: ReadonlySet<string>,
  converter: SchemaConverter,
): AssembledSchema {
  const full = gather(root, references, converter, (schema) => schema);
  if (!full.isCut) return finish(full, []);
  const short = gather(shortenDescriptions(root), references, converter, shortenDescriptions);
  if (!short.isCut) return finish(short, ["Descriptions are shortened, because the schema is large."]);
  const notes = [`The schema is larger than ${MAX_SCHEMA_BYTES / 1024} KiB; its deeper levels accept anything.`];
  if (short.rootBytes <= MAX_SCHEMA_BYTES) return finish(short, notes);
  for (let levels = Math.min(MAX_LEVELS, levelsOf(root) - 1); levels > 1; levels -= 1) {
    const pruned = prune(root, levels);
    if (sizeOf(pruned) > MAX_SCHEMA_BYTES) continue;
    return finish(gather(pruned, references, converter, shortenDescriptions), notes);
  }
  return finish(gather(prune(root, 1), references, converter, shortenDescriptions), notes);
}

interface Gathered {
  readonly root: JsonSchemaObject;
  readonly rootBytes: number;
  readonly definitions: ReadonlyMap<string, JsonSchema>;
  readonly isCut: boolean;
}

/** Collects definitions level by level, as long as there is room. Those without room are replaced by their type. */
function gather(
  root: JsonSchemaObject,
  references: ReadonlySet<string>,
  converter: SchemaConverter,
  change: (schema: JsonSchema) => JsonSchema,
): Gathered {
  const rootBytes = sizeOf(root);
  const definitions = new Map<string, JsonSchema>();
  const queue = new Set(references);
  let bytes = rootBytes;
  let isCut = rootBytes > MAX_SCHEMA_BYTES;
  for (const name of queue) {
    const { schema, references: further } = converter.definition(name);
    const changed = change(schema);
    const size = sizeOf(changed) + name.length + 4;
    if (bytes + size <= MAX_SCHEMA_BYTES) {
      bytes += size;
      definitions.set(name, changed);
      for (const each of further) queue.add(each);
    } else {
      isCut = true;
      const types = typesOf(typeof schema === "boolean" ? {} : schema);
      definitions.set(name, types.length === 1 ? { type: types[0], ...(types[0] === "array" && { items: {} }) } : {});
    }
  }
  return { root, rootBytes, definitions, isCut };
}

const sizes = new WeakMap<object, number>();

/** The size of a value as JSON. Objects are shared by schemas, and each is measured once. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return countBytes(JSON.stringify(value));
  if (typeof value !== "object" || value === null) return String(value).length;
  let size = sizes.get(value);
  if (size === undefined) {
    size = 2;
    for (const [key, member] of Object.entries(value) as [string, unknown][]) {
      size += sizeOf(member) + 1 + (Array.isArray(value) ? 0 : countBytes(JSON.stringify(key)) + 1);
    }
    sizes.set(value, size);
  }
  return size;
}

const levelCounts = new WeakMap<object, number>();

/** The levels of schemas within a value. Each object is measured once. */
function levelsOf(value: unknown, isSchema = true): number {
  if (typeof value !== "object" || value === null) return 0;
  let known = levelCounts.get(value);
  if (known === undefined) {
    const inner = Array.isArray(value)
      ? value.map((item) => levelsOf(item, isSchema))
      : Object.entries(value).map(([key, member]) => {
          if (!isSchema) return levelsOf(member);
          return MAPS.has(key) ? levelsOf(member, false) : SUBSCHEMAS.has(key) ? levelsOf(member) : 0;
        });
    known = inner.reduce((most, each) => Math.max(most, each), 0) + (isSchema && !Array.isArray(value) ? 1 : 0);
    levelCounts.set(value, known);
  }
  return known;
}

function finish({ root, definitions }: Gathered, notes: readonly string[]): AssembledSchema {
  const used = reachable(root, definitions);
  const schema = used.size === 0 ? root : { ...root, $defs: Object.fromEntries(used) };
  return { schema, bytes: countBytes(JSON.stringify(schema)), notes };
}

/** The definitions that are left to be referred to, in the order in which they are met. */
function reachable(
  root: JsonSchemaObject,
  definitions: ReadonlyMap<string, JsonSchema>,
): ReadonlyMap<string, JsonSchema> {
  const used = new Map<string, JsonSchema>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isMembers(value)) {
      const { $ref } = value;
      if (typeof $ref === "string" && $ref.startsWith("#/$defs/")) use($ref.slice("#/$defs/".length));
      Object.values(value).forEach(visit);
    }
  };
  const waiting: string[] = [];
  const use = (name: string): void => {
    const definition = definitions.get(name);
    if (definition === undefined || used.has(name)) return;
    used.set(name, definition);
    waiting.push(name);
  };
  visit(root);
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) visit(used.get(name));
  return used;
}

/** Shortens all descriptions in a schema. */
const shortenDescriptions: <T>(schema: T) => T = mapSchemas((_, keywords) => {
  const { description } = keywords;
  return typeof description === "string"
    ? { ...keywords, description: cleanDescription(description, SHORT_DESCRIPTION) }
    : keywords;
});

/** Replaces schemas below a number of levels by ones that accept anything of their type. */
function prune(schema: JsonSchemaObject, levels: number): JsonSchemaObject {
  return (PRUNERS[levels] ??= mapSchemas((level, keywords) => {
    if (level < levels) return keywords;
    const types = typesOf(keywords as JsonSchemaObject);
    return types.length === 1 && types[0] !== "array" ? { type: types[0] } : {};
  }, levels))(schema);
}

const PRUNERS: (<T>(schema: T) => T)[] = [];

/** Keywords whose members are schemas by name. */
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** Keywords whose value is a schema, or a list of them. */
const SUBSCHEMAS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/**
 * Makes a function that changes all schemas within a schema. Objects are shared by schemas, and each is changed once for each
 * level it is on; without a limit of levels, once.
 */
function mapSchemas(change: (level: number, keywords: JsonMembers) => JsonMembers, levels = 0): <T>(schema: T) => T {
  const known = Array.from({ length: levels + 1 }, () => new WeakMap<object, unknown>());
  const mapSchema = (value: unknown, level: number): unknown => {
    if (Array.isArray(value)) return value.map((item) => mapSchema(item, level));
    if (!isMembers(value)) return value;
    const memory = known[Math.min(level, levels)]!;
    if (!memory.has(value)) {
      const keywords = change(level, value);
      memory.set(
        value,
        Object.fromEntries(Object.entries(keywords).map(([key, member]) => [key, mapMember(key, member, level + 1)])),
      );
    }
    return memory.get(value);
  };
  const mapMember = (key: string, member: unknown, level: number): unknown => {
    if (SUBSCHEMAS.has(key)) return mapSchema(member, level);
    if (!MAPS.has(key) || !isMembers(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([name, schema]) => [name, mapSchema(schema, level)]));
  };
  return <T>(schema: T): T => mapSchema(schema, 0) as T;
}
