import { jsonSchemaValidator, untrustedSchemaValidator } from "@toolwire/json-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OpenApiVersion } from "../../src/document/model.ts";
import { convertRoot } from "./convert-one.ts";

/** A schema of a document, and values that an API with this schema accepts. */
interface Sampled {
  readonly schema: object;
  readonly values: fc.Arbitrary<unknown>;
  /** Whether a request must not have it. */
  readonly isHidden?: boolean;
}

const text: fc.Arbitrary<Sampled> = fc.constantFrom<Sampled>(
  { schema: { type: "string" }, values: fc.string() },
  {
    schema: { type: "string", minLength: 2, maxLength: 4, example: "abc" },
    values: fc.string({ unit: "grapheme-ascii", minLength: 2, maxLength: 4 }),
  },
  { schema: { type: "string", enum: ["a", "b"] }, values: fc.constantFrom("a", "b") },
  {
    schema: { type: "string", pattern: "^[a-c]+$" },
    values: fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1 }),
  },
  { schema: { type: "string", pattern: "(a+)+$" }, values: fc.constantFrom("a", "ba") },
  { schema: { type: "string", format: "uuid" }, values: fc.uuid() },
  { schema: { type: "string", format: "byte" }, values: fc.base64String() },
  { schema: { type: "integer", format: "int32", minimum: 0, exclusiveMinimum: true }, values: fc.integer({ min: 1 }) },
  {
    schema: { type: "number", maximum: 5, exclusiveMaximum: false },
    values: fc.double({ max: 5, noNaN: true, noDefaultInfinity: true }),
  },
  { schema: { type: "boolean", default: true }, values: fc.boolean() },
  { schema: {}, values: fc.jsonValue({ maxDepth: 1 }) },
  { schema: { type: "array" }, values: fc.array(fc.integer()) },
  { schema: { type: "object" }, values: fc.dictionary(fc.string(), fc.integer()) },
  {
    schema: { type: "object", additionalProperties: { type: "integer" } },
    values: fc.dictionary(fc.string(), fc.integer()),
  },
  {
    schema: { $ref: "#/components/schemas/Tree" },
    values: fc.constantFrom({}, { child: {} }, { child: { child: null } }),
  },
  { schema: { $ref: "#/components/schemas/Named", description: "by name" }, values: fc.record({ name: fc.string() }) },
);

const DEFINITIONS = {
  Tree: {
    type: "object",
    additionalProperties: false,
    properties: { child: { nullable: true, allOf: [{ $ref: "#/components/schemas/Tree" }] } },
  },
  Named: {
    type: "object",
    required: ["name", "id"],
    properties: { name: { type: "string" }, id: { type: "integer", readOnly: true } },
  },
};

const { schema: sampled } = fc.letrec<{ schema: Sampled; object: Sampled }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    tie("object"),
    tie("schema").map(({ schema, values }) => ({
      schema: { type: "array", items: schema },
      values: fc.array(values, { maxLength: 3 }),
    })),
    // Beside a reference, `nullable` has no meaning.
    tie("object").map(({ schema, values }) => ({
      schema: { ...schema, nullable: true },
      values: fc.oneof(values, fc.constant(null)),
    })),
    fc.tuple(tie("schema"), tie("schema")).map(([one, other]) => ({
      schema: { oneOf: [one.schema, other.schema] },
      values: fc.oneof(one.values, other.values),
    })),
    fc.tuple(tie("object"), tie("object")).map(([one, other]) => mergeObjects(one, other)),
    tie("schema").map((inner) => ({
      ...inner,
      schema: { ...inner.schema, readOnly: true },
      isHidden: !("$ref" in inner.schema),
    })),
  ),
  object: fc
    .array(fc.tuple(fc.constantFrom("a", "b", "__proto__", "constructor", "x y"), tie("schema"), fc.boolean()), {
      maxLength: 3,
    })
    .map((entries) => makeObject(new Map(entries.map(([name, schema, isRequired]) => [name, { schema, isRequired }])))),
}));

function makeObject(members: ReadonlyMap<string, { schema: Sampled; isRequired: boolean }>): Sampled {
  const shown = [...members].filter(([, { schema }]) => schema.isHidden !== true);
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries([...members].map(([name, { schema }]) => [name, schema.schema])),
      required: [...members].filter(([, { isRequired }]) => isRequired).map(([name]) => name),
    },
    values: fc
      .tuple(
        ...shown.map(([name, { schema, isRequired }]) =>
          fc.tuple(fc.constant(name), schema.values, isRequired ? fc.constant(true) : fc.boolean()),
        ),
      )
      .map((pairs) =>
        Object.fromEntries(pairs.filter(([, , isGiven]) => isGiven).map(([name, value]) => [name, value])),
      ),
  };
}

/** Two objects in an `allOf`, with different names of properties. */
function mergeObjects(one: Sampled, other: Sampled): Sampled {
  const wrapped = makeObject(new Map([["nested", { schema: other, isRequired: false }]]));
  return {
    schema: { allOf: [one.schema, wrapped.schema] },
    values: fc
      .tuple(one.values, wrapped.values)
      .map(([these, those]) => ({ ...(these as object), ...(those as object) })),
  };
}

describe("every schema that is converted", () => {
  it.each<OpenApiVersion>(["3.0", "3.1"])(
    "compiles, and accepts values of the schema that it was made of (%s)",
    (version) => {
      fc.assert(
        fc.property(
          sampled.chain(({ schema, values }) => fc.tuple(fc.constant(schema), values)),
          ([schema, value]) => {
            const root = { type: "object", properties: { it: schema } };
            const { schema: converted } = convertRoot(root, version, DEFINITIONS);
            const isHidden = !Object.hasOwn(converted["properties"] as object, "it");
            for (const validator of [jsonSchemaValidator, untrustedSchemaValidator]) {
              const checked = validator.compile(converted)({ it: value });
              const isRefused = !checked.ok && !isHidden;
              expect(isRefused ? [checked.issues, converted] : []).toEqual([]);
            }
          },
        ),
        { numRuns: 1_000 },
      );
    },
  );

  it("compiles whatever a document has in the place of a schema", () => {
    const keywords =
      "type properties items enum required allOf anyOf oneOf not nullable minimum exclusiveMinimum pattern format " +
      "additionalProperties $ref default const readOnly discriminator patternProperties prefixItems if then " +
      "dependentRequired dependentSchemas contains maxLength title description $defs";
    const keyword = fc.constantFrom(...keywords.split(" "));
    const leaf = fc.oneof(
      fc.constantFrom(
        "string",
        "object",
        "array",
        "null",
        "(",
        "#/components/schemas/Tree",
        "#/nowhere",
        ["string", "object"],
        "a{5}",
        -1,
        3,
        true,
      ),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const { any } = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.dictionary(keyword, tie("any"), { maxKeys: 5 }),
        fc.dictionary(fc.constantFrom("a", "__proto__", "$ref"), tie("any"), { maxKeys: 3 }),
        fc.array(tie("any"), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(any, fc.constantFrom<OpenApiVersion>("2.0", "3.0", "3.1"), (schema, version) => {
        const root = { type: "object", properties: { it: schema } };
        expect(() => convertRoot(root, version, DEFINITIONS)).not.toThrow();
      }),
      { numRuns: 1_500 },
    );
  });
});
