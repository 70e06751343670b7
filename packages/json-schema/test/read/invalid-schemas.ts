/** Schemas that must be refused, whoever looks at them first. */
import type { JsonSchema } from "../../src/index.ts";

/** Schemas that break a rule, and the words of the validator. */
export const INVALID_SCHEMAS: readonly (readonly [schema: unknown, reason: string])[] = [
  [{ properties: { city: { type: "strng" } } }, 'at properties.city.type: "strng" is no JSON type'],
  [{ type: [] }, "at type: an array of 0 items is no JSON type"],
  [{ properties: [] }, "at properties: must be an object, not an array"],
  [{ properties: { a: "string" } }, 'at properties.a: must be a schema (an object, true or false), not "string"'],
  [{ properties: { a: { required: true } } }, "it belongs next to properties"],
  [{ required: "city" }, 'at required: must be an array of property names, not "city"'],
  [{ minimum: "1" }, 'at minimum: must be a number, not "1"'],
  [{ exclusiveMinimum: true }, "ended with draft-04"],
  [{ multipleOf: 0 }, "at multipleOf: must be above 0"],
  [{ minLength: -1 }, "at minLength: must be a whole number from 0 up, not -1"],
  [{ maxItems: 1.5 }, "at maxItems: must be a whole number"],
  [{ uniqueItems: "yes" }, "at uniqueItems: must be true or false"],
  [{ anyOf: [] }, "at anyOf: must be an array of at least one schema"],
  [{ allOf: [{ not: 1 }] }, "at allOf[0].not: must be a schema"],
  [{ enum: "a" }, "at enum: must be an array of values"],
  [{ format: 1 }, "at format: must be a string"],
  [{ pattern: "(" }, 'at pattern: the pattern "(" cannot be used'],
  [{ patternProperties: { "[": true } }, 'at patternProperties["["]: the pattern "["'],
  [{ $ref: 1 }, "at $ref: must be a string"],
  [{ $id: 1 }, "at $id: must be a string"],
  [{ $defs: { unused: { type: 1 } } }, "at $defs.unused.type: 1 is no JSON type"],
  [{ dependencies: { a: {} }, dependentSchemas: { a: {} } }, "keep one of them"],
  ["object", "must be a schema"],
  [null, "must be a schema"],
  [
    { properties: { a: { $id: "https://x/y", type: "string" }, b: { $id: "https://x/y", type: "number" } } },
    "is taken by another subschema",
  ],
  [{ properties: { a: { $anchor: "x" }, b: { $anchor: "x", type: "number" } } }, "is taken by another subschema"],
];

/** Schemas that exceed the bounds. */
export const OVERSIZED_SCHEMAS: readonly (readonly [what: string, schema: JsonSchema, reason: string])[] = [
  ["depth", nest(101), "nested more than 100 levels deep"],
  ["great depth", nest(100_000), "nested more than 100 levels deep"],
  [
    "the depth of values",
    { default: JSON.parse("[".repeat(200_000) + "]".repeat(200_000)) as unknown },
    "nested more than 100 levels deep",
  ],
  ["size", { description: "x".repeat(2_000_000) }, "larger than 1000000 characters"],
  ["the size of values", { enum: ["x".repeat(1_100_000)] }, "larger than 1000000 characters"],
  ["the number of subschemas", { anyOf: Array.from({ length: 10_001 }, () => ({})) }, "more than 10000 subschemas"],
  ["schemas that contain themselves", containItself(), "levels deep"],
];

export function nest(depth: number): JsonSchema {
  let schema: JsonSchema = true;
  for (let level = 0; level < depth; level++) schema = { not: schema };
  return schema;
}

function containItself(): JsonSchema {
  const schema: Record<string, unknown> = {};
  schema["not"] = schema;
  return schema;
}
