import { invalidSchema } from "../error.ts";
import { findFormat, type Format } from "../formats/formats.ts";
import { step, type Place } from "../issues/issue.ts";
import type { Pattern } from "../patterns/pattern.ts";
import {
  allow,
  readAllowedValues,
  readBoolean,
  readCount,
  readDivisor,
  readMap,
  readNames,
  readNumber,
  readString,
  readTypes,
} from "./keyword-values.ts";
import type { Dialect } from "./read-schema.ts";
import type { SchemaNode } from "./schema-node.ts";
import type { SchemaObject } from "./subschemas.ts";

/** The functions of the reader that keywords use to read their values. */
export interface KeywordReader {
  readonly dialect: Dialect;
  /** Whether `format` is more than an annotation. */
  readonly assertsFormats: boolean;
  readNode(value: unknown, place: Place): SchemaNode;
  readNodes(value: unknown, place: Place): readonly SchemaNode[];
  readNamedNodes(value: unknown, place: Place): ReadonlyMap<string, SchemaNode>;
  readPattern(source: unknown, place: Place): Pattern;
  /** The node that the reference at `place`, a keyword of `schema`, leads to. */
  readReference(reference: unknown, place: Place, schema: SchemaObject): SchemaNode;
}

/** A keyword that takes part in validation. */
export interface Keyword {
  readonly name: string;
  readonly dialects: readonly Dialect[];
  /** Checks the value of the keyword, and stores its meaning in the node. */
  apply(node: SchemaNode, value: unknown, place: Place, reader: KeywordReader, schema: SchemaObject): void;
}

const ALL: readonly Dialect[] = ["draft-07", "2019-09", "2020-12"];
const SINCE_2019: readonly Dialect[] = ["2019-09", "2020-12"];

const node = (value: unknown, place: Place, reader: KeywordReader): SchemaNode => reader.readNode(value, place);
const nodes = (value: unknown, place: Place, reader: KeywordReader): readonly SchemaNode[] =>
  reader.readNodes(value, place);
const namedNodes = (value: unknown, place: Place, reader: KeywordReader): ReadonlyMap<string, SchemaNode> =>
  reader.readNamedNodes(value, place);

/** All keywords that take part in validation. All others are annotations. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  [
    special("$ref", ALL, addReference),
    special("$recursiveRef", ["2019-09"], addReference),
    special("$dynamicRef", ["2020-12"], addReference),
    // Reads definitions that nothing refers to as well, so that mistakes in them are found.
    special("$id", ALL, (_, value, place) => void readString(value, place)),
    special("$defs", ALL, (_, value, place, reader) => void reader.readNamedNodes(value, place)),
    special("definitions", ALL, (_, value, place, reader) => void reader.readNamedNodes(value, place)),

    field("type", readTypes),
    field("enum", readAllowedValues),
    field("const", (value) => allow([value])),

    field("minimum", readNumber),
    field("maximum", readNumber),
    field("exclusiveMinimum", readNumber),
    field("exclusiveMaximum", readNumber),
    field("multipleOf", readDivisor),

    field("minLength", readCount),
    field("maxLength", readCount),
    field("pattern", (value, place, reader) => reader.readPattern(value, place)),
    field("format", readFormat),

    field("prefixItems", nodes, ["2020-12"]),
    special("items", ALL, applyItems),
    special("additionalItems", ["draft-07", "2019-09"], applyAdditionalItems),
    special("contains", ALL, applyContains),
    field("minContains", readCount, SINCE_2019),
    field("maxContains", readCount, SINCE_2019),
    field("minItems", readCount),
    field("maxItems", readCount),
    field("uniqueItems", readBoolean),
    field("unevaluatedItems", node, SINCE_2019),

    field("required", readNames),
    field("properties", namedNodes),
    field("patternProperties", readPatternProperties),
    field("additionalProperties", node),
    field("propertyNames", node),
    field("minProperties", readCount),
    field("maxProperties", readCount),
    special("dependentRequired", SINCE_2019, applyDependencies),
    special("dependentSchemas", SINCE_2019, applyDependencies),
    // 2019-09 split this keyword in two, but validators at large still accept it.
    special("dependencies", ALL, applyDependencies),
    field("unevaluatedProperties", node, SINCE_2019),

    special("allOf", ALL, (target, value, place, reader) => addConjuncts(target, reader.readNodes(value, place))),
    field("anyOf", nodes),
    field("oneOf", nodes),
    field("not", node),
    field("if", node),
    special("then", ALL, applyBranch),
    special("else", ALL, applyBranch),
  ].map((keyword) => [keyword.name, keyword]),
);

/** A keyword whose value goes into the field of the same name. */
function field<K extends keyof SchemaNode>(
  name: K,
  read: (value: unknown, place: Place, reader: KeywordReader) => SchemaNode[K],
  dialects = ALL,
): Keyword {
  return {
    name,
    dialects,
    apply(target, value, place, reader) {
      target[name] = read(value, place, reader);
    },
  };
}

/** A keyword whose meaning takes more than one field. */
function special(name: string, dialects: readonly Dialect[], apply: Keyword["apply"]): Keyword {
  return { name, dialects, apply };
}

function addReference(
  target: SchemaNode,
  value: unknown,
  place: Place,
  reader: KeywordReader,
  schema: SchemaObject,
): void {
  const referred = reader.readReference(value, place, schema);
  if (target.$ref === undefined) target.$ref = referred;
  else addConjuncts(target, [referred]);
}

function addConjuncts(target: SchemaNode, conjuncts: readonly SchemaNode[]): void {
  target.allOf = [...(target.allOf ?? []), ...conjuncts];
}

/** Before 2020-12, `items` could be a tuple, which is `prefixItems` now. */
function applyItems(target: SchemaNode, value: unknown, place: Place, reader: KeywordReader): void {
  if (!Array.isArray(value)) target.items = reader.readNode(value, place);
  else if (reader.dialect === "2020-12") {
    throw invalidSchema(
      place,
      "must be one schema in 2020-12; write prefixItems for a tuple, or name an older $schema",
    );
  } else if (value.length > 0) target.prefixItems = reader.readNodes(value, place);
}

/** Before 2020-12, `additionalItems` next to a tuple had the meaning that `items` has now. */
function applyAdditionalItems(
  target: SchemaNode,
  value: unknown,
  place: Place,
  reader: KeywordReader,
  schema: SchemaObject,
): void {
  const rest = reader.readNode(value, place);
  if (Array.isArray(schema["items"])) target.items = rest;
}

function applyContains(target: SchemaNode, value: unknown, place: Place, reader: KeywordReader): void {
  target.contains = reader.readNode(value, place);
  target.leavesContained = reader.dialect !== "2020-12";
}

function readFormat(value: unknown, place: Place, reader: KeywordReader): Format | undefined {
  const format = findFormat(readString(value, place));
  return reader.assertsFormats ? format : undefined;
}

function readPatternProperties(value: unknown, place: Place, reader: KeywordReader): ReadonlyMap<Pattern, SchemaNode> {
  return new Map(
    readMap(value, place).map(([source, member]) => {
      const here = step(place, source);
      return [reader.readPattern(source, here), reader.readNode(member, here)];
    }),
  );
}

/** Each property requires other properties (an array of names), or a schema for the whole object. */
function applyDependencies(target: SchemaNode, value: unknown, place: Place, reader: KeywordReader): void {
  const required = new Map(target.dependentRequired);
  const schemas = new Map(target.dependentSchemas);
  for (const [name, needs] of readMap(value, place)) {
    const here = step(place, name);
    if (place.key === "dependentRequired" || (place.key === "dependencies" && Array.isArray(needs))) {
      required.set(name, new Set([...(required.get(name) ?? []), ...readNames(needs, here)]));
    } else {
      if (schemas.has(name)) throw invalidSchema(here, "is in dependencies and in dependentSchemas: keep one of them");
      schemas.set(name, reader.readNode(needs, here));
    }
  }
  if (required.size > 0) target.dependentRequired = required;
  if (schemas.size > 0) target.dependentSchemas = schemas;
}

function applyBranch(
  target: SchemaNode,
  value: unknown,
  place: Place,
  reader: KeywordReader,
  schema: SchemaObject,
): void {
  const branch = reader.readNode(value, place);
  if (schema["if"] === undefined) return;
  if (place.key === "then") target.whenTrue = branch;
  else target.whenFalse = branch;
}
