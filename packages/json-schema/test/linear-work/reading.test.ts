import { describe, expect, it } from "vitest";
import { findExcess } from "../../../../test/linear-growth.ts";
import { KEYWORDS } from "../../src/read/keywords.ts";
import { DEFAULT_LIMITS } from "../../src/read/limits.ts";
import { readSchema } from "../../src/read/read-schema.ts";
import { list, record } from "../../../../test/large-values.ts";

type Schema = Record<string, unknown>;

const DRAFT_07 = { $schema: "http://json-schema.org/draft-07/schema#" };
const DRAFT_2019 = { $schema: "https://json-schema.org/draft/2019-09/schema" };

const schemas = (size: number): Schema[] => list(size, (n) => ({ minimum: n }));
const named = (size: number): Schema => record(size, "p", (n) => ({ minimum: n }));
const names = (size: number): string[] => list(size, (n) => `p${n}`);
/** A schema with the keyword, over and over, next to each other. */
const repeat =
  (keyword: string, value: unknown, base: Schema = {}): ((size: number) => Schema) =>
  (size) => ({ ...base, allOf: list(size, () => ({ [keyword]: value })) });

/** Schemas that are as large as one likes by each keyword. A keyword that is missing fails a test. */
const LARGE = new Map<string, readonly ((size: number) => Schema)[]>(
  Object.entries({
    $ref: [
      repeat("$ref", "#/$defs/a", { $defs: { a: true } }),
      (size) => ({ $defs: record(size, "d", (n) => ({ $ref: `#/$defs/d${n + 1 < size ? n + 1 : 0}` })) }),
      (size) => ({ $ref: `#${"/a".repeat(size)}` }),
    ],
    $recursiveRef: [repeat("$recursiveRef", "#", DRAFT_2019)],
    $dynamicRef: [repeat("$dynamicRef", "#a", { $dynamicAnchor: "a" })],
    $id: [
      (size) => ({ allOf: list(size, (n) => ({ $id: `https://example.org/${n}` })) }),
      // The same schema over and over, with its name, as generators write it.
      repeat("$id", "https://example.org/a"),
      (size) => ({ allOf: list(16, () => ({ $id: "https://example.org/a", anyOf: schemas(size / 16) })) }),
      (size) => ({ allOf: list(size, (n) => ({ $anchor: `a${n}` })) }),
    ],
    $defs: [(size) => ({ $defs: named(size) })],
    definitions: [(size) => ({ definitions: named(size) })],
    type: [(size) => ({ type: list(size, () => "string") }), repeat("type", "string")],
    enum: [
      (size) => ({ enum: names(size) }),
      (size) => ({ enum: schemas(size) }),
      (size) => ({ enum: ["a".repeat(size)] }),
    ],
    const: [(size) => ({ const: named(size) }), (size) => ({ const: "a".repeat(size) })],
    minimum: [repeat("minimum", 1)],
    maximum: [repeat("maximum", 1)],
    exclusiveMinimum: [repeat("exclusiveMinimum", 1)],
    exclusiveMaximum: [repeat("exclusiveMaximum", 1)],
    multipleOf: [repeat("multipleOf", 1)],
    minLength: [repeat("minLength", 1)],
    maxLength: [repeat("maxLength", 1)],
    // Longer ones are refused, and so are more of them.
    pattern: [
      (size) => ({ pattern: "a".repeat(Math.min(size, 4_000)) }),
      (size) => ({ pattern: `^${"(a|".repeat(Math.min(size, 90))}${")".repeat(Math.min(size, 90))}$` }),
      (size) => ({ anyOf: list(Math.min(size, 2_000), (n) => ({ pattern: `^[a-z]+(?:-[^${n}]+)*$` })) }),
    ],
    format: [repeat("format", "uri")],
    prefixItems: [(size) => ({ prefixItems: schemas(size) })],
    items: [repeat("items", { type: "string" }), (size) => ({ ...DRAFT_07, items: schemas(size) })],
    additionalItems: [repeat("additionalItems", true, DRAFT_07)],
    contains: [repeat("contains", true)],
    minContains: [repeat("minContains", 1)],
    maxContains: [repeat("maxContains", 1)],
    minItems: [repeat("minItems", 1)],
    maxItems: [repeat("maxItems", 1)],
    uniqueItems: [repeat("uniqueItems", true)],
    unevaluatedItems: [repeat("unevaluatedItems", true)],
    required: [(size) => ({ required: names(size) }), (size) => ({ required: list(size, () => "a") })],
    properties: [(size) => ({ properties: named(size) }), (size) => ({ properties: { ["a".repeat(size)]: true } })],
    patternProperties: [(size) => ({ patternProperties: record(Math.min(size, 2_000), "^p", () => true) })],
    additionalProperties: [repeat("additionalProperties", true)],
    propertyNames: [repeat("propertyNames", true)],
    minProperties: [repeat("minProperties", 1)],
    maxProperties: [repeat("maxProperties", 1)],
    dependentRequired: [
      (size) => ({ dependentRequired: record(size, "p", () => ["a"]) }),
      (size) => ({ dependentRequired: { a: names(size) } }),
    ],
    dependentSchemas: [(size) => ({ dependentSchemas: named(size) })],
    dependencies: [
      (size) => ({ dependencies: record(size, "p", (n) => (n % 2 === 0 ? ["a"] : true)) }),
      (size) => ({ dependentRequired: { a: names(size) }, dependencies: { a: names(size) } }),
    ],
    unevaluatedProperties: [repeat("unevaluatedProperties", true)],
    allOf: [(size) => ({ allOf: schemas(size) })],
    anyOf: [(size) => ({ anyOf: schemas(size) })],
    oneOf: [(size) => ({ oneOf: schemas(size) })],
    not: [repeat("not", true)],
    if: [repeat("if", true)],
    else: [repeat("else", true)],
  }),
);

// As a property, it would make an object look like a promise.
LARGE.set("then", [repeat("then", true)]);

describe("the time of reading a schema", () => {
  it("is measured below for every keyword there is", () => {
    expect([...LARGE.keys()].toSorted()).toEqual([...KEYWORDS.keys()].toSorted());
  });

  it.each([...LARGE])(
    "is in proportion to the schema: %s",
    (_, makers) => {
      const limits = { ...DEFAULT_LIMITS, maxSize: Infinity, maxSubschemas: Infinity };
      const read = (schema: Schema): void => {
        try {
          readSchema(schema, { limits, isUntrusted: true });
        } catch (error) {
          expect(String(error)).toContain("leads nowhere");
        }
      };
      expect(makers.map((make) => findExcess(make, read, 32_768)).filter((excess) => excess !== undefined)).toEqual([]);
    },
    120_000,
  );
});
