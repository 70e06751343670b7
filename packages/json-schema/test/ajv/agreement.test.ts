import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAjvValidator } from "../../src/ajv/index.ts";
import { createJsonSchemaValidator, type JsonSchema } from "../../src/index.ts";

// Two implementations that share no code: whatever they disagree on, one of them has wrong.

const name = fc.constantFrom("a", "b", "ab", "c");
const text = fc.constantFrom("", "a", "b", "ab", "abc", "😀", "1");
const scalar = fc.oneof(fc.integer({ min: -2, max: 6 }), fc.constantFrom(0.5, 1.5, true, false, null), text);

const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthIdentifier: "value" },
    scalar,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(name, tie("any"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

const type = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object");
const count = fc.integer({ min: 0, max: 3 });
const pattern = fc.constantFrom("^a", "b$", "^(a|b)*$", "\\d", "^.$", "(a+)+c?");

const schema = fc.letrec<{ schema: JsonSchema; keywords: Record<string, unknown> }>((tie) => {
  const some = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(name, tie("schema"), { maxKeys: 3, noNullPrototype: true });
  const keyword = (key: string, arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
    arbitrary.map((given) => ({ [key]: given }));
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthIdentifier: "schema" },
      { arbitrary: fc.boolean(), weight: 1 },
      { arbitrary: keyword("type", type), weight: 2 },
      {
        arbitrary: fc
          .array(tie("keywords"), { maxLength: 4 })
          .map((parts) => Object.assign({}, ...parts) as JsonSchema),
        weight: 6,
      },
    ),
    keywords: fc.oneof(
      keyword("type", fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))),
      keyword(
        "enum",
        fc.uniqueArray(value, {
          minLength: 1,
          maxLength: 3,
          comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
        }),
      ),
      keyword("const", value),
      keyword("minimum", count),
      keyword("maximum", count),
      keyword("exclusiveMinimum", count),
      keyword("exclusiveMaximum", count),
      keyword("multipleOf", fc.constantFrom(1, 2, 0.5)),
      keyword("minLength", count),
      keyword("maxLength", count),
      keyword("pattern", pattern),
      keyword("prefixItems", some),
      keyword("items", tie("schema")),
      // In a schema of its own, because ajv 8.20 skips `contains` next to `prefixItems` if the array is empty.
      fc
        .record({ contains: tie("schema"), minContains: count, maxContains: count }, { requiredKeys: ["contains"] })
        .map((contains) => ({ allOf: [contains] })),
      keyword("minItems", count),
      keyword("maxItems", count),
      keyword("uniqueItems", fc.boolean()),
      keyword("required", fc.uniqueArray(name, { maxLength: 3 })),
      keyword("properties", map),
      keyword("patternProperties", fc.dictionary(pattern, tie("schema"), { maxKeys: 2, noNullPrototype: true })),
      keyword("additionalProperties", tie("schema")),
      keyword("propertyNames", tie("schema")),
      keyword("minProperties", count),
      keyword("maxProperties", count),
      keyword(
        "dependentRequired",
        fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2, noNullPrototype: true }),
      ),
      keyword("dependentSchemas", map),
      keyword("allOf", some),
      keyword("anyOf", some),
      keyword("oneOf", some),
      keyword("not", tie("schema")),
      fc
        .tuple(keyword("if", tie("schema")), keyword("then", tie("schema")), keyword("else", tie("schema")))
        .chain((parts) =>
          fc.shuffledSubarray(parts).map((chosen) => Object.assign({}, ...chosen) as Record<string, unknown>),
        ),
      keyword("$ref", fc.constantFrom("#/$defs/x", "#/$defs/y")),
    ),
  };
}).schema;

/** A document whose definitions do not refer to each other in circles. */
const document = fc.tuple(schema, schema, schema).map(([root, x, y]) => {
  const cut = (part: JsonSchema, target: string): JsonSchema =>
    JSON.parse(JSON.stringify(part).replaceAll(/"#\/\$defs\/[xy]"/g, `"${target}"`)) as JsonSchema;
  return {
    ...(typeof root === "boolean" ? { allOf: [root] } : root),
    $defs: { x: cut(x, "#/$defs/y"), y: cut(y, "#/$defs/z"), z: { type: ["string", "array", "integer"] } },
  };
});

describe("our checks", () => {
  it("agree with ajv, in all ways of running, on random schemas and values", () => {
    const validators = [
      createJsonSchemaValidator(),
      createAjvValidator(),
      createJsonSchemaValidator({ untrusted: true }),
    ];
    fc.assert(
      fc.property(document, fc.array(value, { minLength: 8, maxLength: 8 }), (given, values) => {
        const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false });
        // Keeping track of what is evaluated makes ajv 8.20 fail on some schemas, and these here do not need it.
        ajv.opts.unevaluated = false;
        const expected = ajv.compile(given);
        for (const validator of validators) {
          const validate = validator.compile(given);
          for (const sample of values) {
            const result = validate(sample);
            expect(result.ok).toBe(expected(sample));
            if (!result.ok) expect(result.issues.length).toBeGreaterThan(0);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
