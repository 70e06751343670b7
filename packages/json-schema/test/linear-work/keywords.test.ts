import { describe, expect, it } from "vitest";
import { findExcess } from "../../../../test/linear-growth.ts";
import { createAjvValidator } from "../../src/ajv/index.ts";
import type { JsonSchema } from "../../src/index.ts";
import { KEYWORDS } from "../../src/read/keywords.ts";
import { DEFAULT_LIMITS } from "../../src/read/limits.ts";
import { readSchema } from "../../src/read/read-schema.ts";
import { countSteps } from "./count-steps.ts";
import { list, record } from "../../../../test/large-values.ts";

type Schema = Record<string, unknown>;

const DRAFT_07 = { $schema: "http://json-schema.org/draft-07/schema#" };
const DRAFT_2019 = { $schema: "https://json-schema.org/draft/2019-09/schema" };

const numbers = (size: number): number[] => list(size, (n) => n);
const texts = (size: number): string[] => list(size, (n) => `text ${n}`);
const objects = (size: number): object[] => list(size, (n) => ({ id: n, name: `name ${n}` }));
const members = (size: number): object => record(size, "p", (n) => n);
const long = (size: number): string => "ab".repeat(size / 2);
/** Letters that take two places each, so that all have to be counted. */
const pairs = (size: number): string => "😀".repeat(size);

/** How a keyword is used, and a value of any size that makes as much work of it as possible. */
interface Use {
  readonly schema: Schema;
  readonly value: (size: number) => unknown;
}

/** Every keyword, by schemas that stay as they are while the value grows. A keyword that is missing fails a test. */
const USES = new Map<string, readonly Use[]>(
  Object.entries({
    $ref: [{ schema: { items: { $ref: "#/$defs/a" }, $defs: { a: { type: "number" } } }, value: numbers }],
    $recursiveRef: [{ schema: { ...DRAFT_2019, items: { $recursiveRef: "#" } }, value: numbers }],
    $dynamicRef: [{ schema: { items: { $dynamicRef: "#a" }, $dynamicAnchor: "a" }, value: numbers }],
    $id: [{ schema: { $id: "https://example.org/a", items: { $ref: "a" } }, value: numbers }],
    $defs: [{ schema: { items: { $ref: "#/$defs/a" }, $defs: { a: true } }, value: numbers }],
    definitions: [{ schema: { items: { $ref: "#/definitions/a" }, definitions: { a: true } }, value: numbers }],
    type: [{ schema: { items: { type: ["string", "null", "integer"] } }, value: numbers }],
    enum: [
      { schema: { items: { enum: texts(100) } }, value: texts },
      { schema: { items: { enum: objects(10) } }, value: objects },
      { schema: { enum: [{}, { p1: 1 }, []] }, value: members },
      { schema: { enum: [[], {}] }, value: numbers },
    ],
    const: [
      { schema: { const: "a" }, value: long },
      { schema: { items: { const: { id: 1 } } }, value: objects },
    ],
    minimum: [{ schema: { items: { minimum: 1e9 } }, value: numbers }],
    maximum: [{ schema: { items: { maximum: -1 } }, value: numbers }],
    exclusiveMinimum: [{ schema: { items: { exclusiveMinimum: 1e9 } }, value: numbers }],
    exclusiveMaximum: [{ schema: { items: { exclusiveMaximum: -1 } }, value: numbers }],
    multipleOf: [{ schema: { items: { multipleOf: 0.01 } }, value: numbers }],
    minLength: [{ schema: { minLength: 1e9 }, value: pairs }],
    maxLength: [
      { schema: { maxLength: 1 }, value: pairs },
      { schema: { items: { maxLength: 5 } }, value: texts },
    ],
    pattern: [
      { schema: { pattern: "^(?:a|b|ab)*c$" }, value: long },
      { schema: { items: { pattern: "^t.*t \\d+$" } }, value: texts },
    ],
    format: [
      { schema: { format: "uri" }, value: long },
      { schema: { items: { format: "email" } }, value: texts },
    ],
    prefixItems: [{ schema: { prefixItems: [true, { type: "string" }] }, value: numbers }],
    items: [{ schema: { items: { type: "string" } }, value: numbers }],
    additionalItems: [{ schema: { ...DRAFT_07, items: [true], additionalItems: { type: "string" } }, value: numbers }],
    contains: [{ schema: { contains: { type: "string" } }, value: numbers }],
    minContains: [{ schema: { contains: true, minContains: 1e9 }, value: numbers }],
    maxContains: [{ schema: { contains: { type: "string" }, maxContains: 1 }, value: numbers }],
    minItems: [{ schema: { minItems: 1e9 }, value: numbers }],
    maxItems: [{ schema: { maxItems: 1 }, value: numbers }],
    uniqueItems: [
      { schema: { uniqueItems: true }, value: numbers },
      { schema: { uniqueItems: true }, value: texts },
      { schema: { uniqueItems: true }, value: objects },
      { schema: { uniqueItems: true }, value: (size) => [members(size), members(size)] },
    ],
    unevaluatedItems: [
      { schema: { anyOf: [{ contains: { minimum: 5 } }, true], unevaluatedItems: { type: "string" } }, value: numbers },
    ],
    required: [{ schema: { items: { required: ["id", "missing"] } }, value: objects }],
    properties: [
      { schema: { properties: record(10, "p", () => ({ type: "string" })) }, value: members },
      { schema: { items: { properties: { id: { type: "string" } } } }, value: objects },
    ],
    patternProperties: [
      { schema: { patternProperties: { "^p\\d": { type: "string" }, "(a|b)*c": true } }, value: members },
    ],
    additionalProperties: [
      { schema: { properties: { p1: true, other: true }, additionalProperties: false }, value: members },
      { schema: { additionalProperties: { type: "string" } }, value: members },
      { schema: { properties: { other: true }, additionalProperties: false }, value: (size) => ({ [long(size)]: 1 }) },
    ],
    propertyNames: [
      { schema: { propertyNames: { pattern: "^(?:p|q)+$" } }, value: members },
      { schema: { propertyNames: { maxLength: 3 } }, value: (size) => ({ [pairs(size)]: 1 }) },
    ],
    minProperties: [{ schema: { minProperties: 1e9 }, value: members }],
    maxProperties: [{ schema: { maxProperties: 1 }, value: members }],
    dependentRequired: [{ schema: { dependentRequired: { p1: ["missing"] } }, value: members }],
    dependentSchemas: [{ schema: { dependentSchemas: { p1: { maxProperties: 1 } } }, value: members }],
    dependencies: [
      { schema: { ...DRAFT_07, dependencies: { p1: { maxProperties: 1 }, p2: ["missing"] } }, value: members },
    ],
    unevaluatedProperties: [
      {
        schema: { anyOf: [{ patternProperties: { "^q": true } }, true], unevaluatedProperties: false },
        value: members,
      },
    ],
    allOf: [{ schema: { items: { allOf: [{ type: "string" }, { minimum: 1e9 }] } }, value: numbers }],
    anyOf: [
      { schema: { items: { anyOf: [{ type: "string" }, { minimum: 1e9 }] } }, value: numbers },
      { schema: { anyOf: [{ additionalProperties: { type: "string" } }, { required: ["x"] }] }, value: members },
    ],
    oneOf: [
      { schema: { items: { oneOf: [true, { type: "number" }] } }, value: numbers },
      { schema: { items: { oneOf: [{ properties: { id: { const: "a" } } }, { required: ["x"] }] } }, value: objects },
    ],
    not: [{ schema: { not: { items: { type: "number" } } }, value: numbers }],
    if: [{ schema: { if: { items: { type: "number" } }, else: false }, value: numbers }],
    else: [{ schema: { if: false, else: { items: { type: "string" } } }, value: numbers }],
  }),
);

// As a property, it would make an object look like a promise.
const whenTrue = JSON.parse('{"if": true, "then": {"items": {"type": "string"}}}') as Schema;
USES.set("then", [{ schema: whenTrue, value: numbers }]);

/** Tells how the work of a schema grows too fast with the value, by the steps that it counts or by the time it takes. */
function findMisgrowth({ schema, value }: Use): string | undefined {
  const options = { limits: DEFAULT_LIMITS, isUntrusted: true, assertFormats: true };
  const root = readSchema(schema, options);
  const [few = 0, many = 0] = [1_500, 6_000].map((size) => countSteps(root, value(size), Infinity));
  // Four times as much for four times the value. Finding words for what is wrong takes the same number of steps for both.
  if (many > 5 * few) return `${few} steps, then ${many}`;
  return findExcess(value, (given) => void countSteps(root, given, Infinity), 65_536);
}

describe("the work of checking a value", () => {
  it("is measured below for every keyword there is", () => {
    expect([...USES.keys()].toSorted()).toEqual([...KEYWORDS.keys()].toSorted());
  });

  it.each([...USES])(
    "is in proportion to the value: %s",
    (_, uses) => {
      expect(uses.map(findMisgrowth).filter((misgrowth) => misgrowth !== undefined)).toEqual([]);
    },
    120_000,
  );

  it.each([...USES])(
    "is in proportion to the value where ajv may compile the schema: %s",
    (_, uses) => {
      for (const { schema, value } of uses) {
        const validate = createAjvValidator().compile(schema as JsonSchema);
        expect(findExcess(value, (given) => void validate(given), 65_536)).toBeUndefined();
      }
    },
    120_000,
  );
});
