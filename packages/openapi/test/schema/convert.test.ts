import { describe, expect, it } from "vitest";
import { convertOne, convertRoot } from "./convert-one.ts";

describe("converting schemas of OpenAPI 3.0 and Swagger 2 to JSON Schema 2020-12", () => {
  it.each([
    ["a nullable text", { type: "string", nullable: true }, { type: ["string", "null"] }],
    [
      "a nullable enum",
      { type: "string", nullable: true, enum: ["a"] },
      { type: ["string", "null"], enum: ["a", null] },
    ],
    [
      "a nullable object",
      { type: "object", nullable: true, description: "d", properties: { a: { type: "string" } } },
      { description: "d", anyOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "null" }] },
    ],
    [
      "a nullable union",
      { nullable: true, anyOf: [{ type: "string" }, { type: "number" }] },
      { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
    ],
    ["nullable without a type", { nullable: true, description: "any" }, { description: "any" }],
    [
      "an exclusive minimum",
      { type: "number", minimum: 1, exclusiveMinimum: true },
      { type: "number", exclusiveMinimum: 1 },
    ],
    ["an inclusive minimum", { type: "number", minimum: 1, exclusiveMinimum: false }, { type: "number", minimum: 1 }],
    [
      "an exclusive maximum",
      { type: "number", maximum: 9, exclusiveMaximum: true },
      { type: "number", exclusiveMaximum: 9 },
    ],
    ["a switch without a bound", { type: "number", exclusiveMaximum: true }, { type: "number" }],
    ["examples", { type: "string", example: "x", xml: {}, externalDocs: {}, "x-y": 1 }, { type: "string" }],
    ["bytes", { type: "string", format: "byte" }, { type: "string" }],
    ["a format", { type: "string", format: "date-time" }, { type: "string", format: "date-time" }],
    ["a list without items", { type: "array" }, { type: "array", items: {} }],
    [
      "values of a list that are meant for its items",
      { type: "array", enum: ["a", "b"], items: { type: "string" } },
      { type: "array", items: { type: "string", enum: ["a", "b"] } },
    ],
    ["an object without a type", { properties: { a: {} } }, { type: "object", properties: { a: {} } }],
    ["a list without a type", { items: { type: "string" } }, { type: "array", items: { type: "string" } }],
    ["open objects", { type: "object", additionalProperties: true }, { type: "object" }],
    [
      "closed objects",
      { type: "object", additionalProperties: false },
      { type: "object", additionalProperties: false },
    ],
    [
      "maps",
      { type: "object", additionalProperties: { type: "integer", format: "int64" } },
      { type: "object", additionalProperties: { type: "integer" } },
    ],
    [
      "a oneOf",
      { oneOf: [{ type: "string" }, { type: "number" }] },
      { anyOf: [{ type: "string" }, { type: "number" }] },
    ],
    [
      "a closed object beside a union, which would refuse all of its forms",
      { type: "object", additionalProperties: false, oneOf: [{ type: "object", properties: { a: {} } }] },
      { type: "object", anyOf: [{ type: "object", properties: { a: {} } }] },
    ],
    [
      "a closed object that requires what it does not know",
      { type: "object", additionalProperties: false, properties: { a: {} }, required: ["a", "b"] },
      { type: "object", additionalProperties: false, properties: { a: {} }, required: ["a"] },
    ],
    ["types that are none", { type: "any" }, {}],
    ["types of programming languages", { type: "int" }, { type: "integer" }],
    ["numbers in texts", { type: "string", maxLength: "5" }, { type: "string", maxLength: 5 }],
    ["a title without a description", { title: "Name" }, { title: "Name" }],
    ["a title beside a description", { title: "Name", description: "Its name" }, { description: "Its name" }],
    ["a deprecated property", { type: "string", deprecated: true }, { type: "string", deprecated: true }],
    ["a default", { type: "string", default: "x" }, { type: "string", default: "x" }],
  ])("converts %s", (_, schema, expected) => {
    expect(convertOne(schema).it).toEqual(expected);
  });

  it.each([
    ["minLength", { minLength: -1 }],
    ["minimum", { minimum: "many" }],
    ["enum", { enum: "a" }],
    ["pattern", { pattern: "(" }],
    ["type", { type: "thing" }],
    ["multipleOf", { multipleOf: 0 }],
    ["properties", { properties: [] }],
    ["anyOf", { anyOf: [] }],
    ["made-up", { "made-up": 1 }],
  ])("leaves out and counts a value of %s that JSON Schema does not allow", (keyword, schema) => {
    const { it: converted, unsupported } = convertOne(schema);
    expect(converted).toEqual({});
    expect(unsupported).toEqual({ [keyword]: 1 });
  });

  it("takes 3.1 as it is, siblings of references and boolean schemas included", () => {
    const schema = { type: ["string", "null"], exclusiveMinimum: 3, const: "a", contentEncoding: "base64" };
    expect(convertOne(schema, "3.1").it).toEqual(schema);
    expect(convertOne({ type: "object", properties: { a: true, b: false } }, "3.1").it).toEqual({
      type: "object",
      properties: { a: true, b: false },
    });
  });

  it("splits lists of types with objects or lists in them into unions, which models accept", () => {
    const schema = {
      type: ["string", "null", "array", "object"],
      description: "d",
      minLength: 1,
      items: { type: "string" },
      required: ["a"],
    };
    expect(convertOne(schema, "3.1").it).toEqual({
      description: "d",
      anyOf: [
        { type: ["string", "null"], minLength: 1 },
        { type: "array", items: { type: "string" } },
        { type: "object", required: ["a"] },
      ],
    });
  });

  it("keeps siblings of a reference in 3.1, and only their description before", () => {
    const schema = { $ref: "#/components/schemas/A", description: "d", minLength: 3 };
    const definitions = { A: { type: "string" } };
    expect(convertOne(schema, "3.1", definitions).it).toEqual({ $ref: "#/$defs/A", description: "d", minLength: 3 });
    expect(convertOne(schema, "3.0", definitions).it).toEqual({ $ref: "#/$defs/A", description: "d" });
  });

  it("says in words what a discriminator decides", () => {
    const { it: converted } = convertOne({
      oneOf: [{ type: "object" }, { type: "object" }],
      discriminator: { propertyName: "kind", mapping: { cat: "#/x", dog: "#/y" } },
    });
    expect(converted["description"]).toBe('The property "kind" says which form it is: "cat", "dog".');
  });
});

describe("properties that only one direction has", () => {
  const schema = {
    type: "object",
    required: ["id", "name", "secret", "size"],
    properties: {
      id: { type: "integer", readOnly: true },
      name: { type: "string" },
      secret: { type: "string", writeOnly: true },
      size: { type: "integer", default: 5 },
      stamp: { $ref: "#/components/schemas/Stamp" },
      wrapped: { allOf: [{ $ref: "#/components/schemas/Stamp" }], description: "When" },
    },
  };
  const definitions = { Stamp: { type: "string", readOnly: true } };

  it("leaves read-only properties out of requests and out of what is required, and does not require what has a default", () => {
    expect(convertOne(schema, "3.0", definitions).it).toEqual({
      type: "object",
      properties: {
        name: { type: "string" },
        secret: { type: "string", writeOnly: undefined },
        size: { type: "integer", default: 5 },
      },
      required: ["name", "secret"],
    });
  });

  it("leaves write-only properties out of responses, which require nothing and are open", () => {
    const { it: converted } = convertOne({ ...schema, additionalProperties: false }, "3.0", definitions, "output");
    expect(Object.keys(converted["properties"] as object)).toEqual(["id", "name", "size", "stamp", "wrapped"]);
    expect(converted).not.toHaveProperty("required");
    expect(converted).not.toHaveProperty("additionalProperties");
  });

  it("drops a required property of a part that another part makes read-only", () => {
    const derived = {
      allOf: [
        { $ref: "#/components/schemas/Base" },
        { type: "object", required: ["id", "b"], properties: { b: { type: "string" } } },
      ],
    };
    const base = { Base: { type: "object", properties: { id: { type: "integer", readOnly: true } } } };
    expect(convertRoot(derived, "3.0", base).schema).toEqual({
      type: "object",
      properties: { b: { type: "string" } },
      required: ["b"],
    });
  });
});

describe("references", () => {
  it("keeps recursive schemas finite, with definitions of what is reachable alone", () => {
    const definitions = {
      Node: {
        type: "object",
        properties: { next: { $ref: "#/components/schemas/Node" }, leaf: { $ref: "#/components/schemas/Leaf" } },
      },
      Leaf: { type: "string" },
      Other: { type: "number" },
    };
    const { schema } = convertOne({ $ref: "#/components/schemas/Node" }, "3.0", definitions);
    expect(Object.keys(schema["$defs"] as object)).toEqual(["Node", "Leaf"]);
    expect(schema["$defs"]).toMatchObject({ Node: { properties: { next: { $ref: "#/$defs/Node" } } } });
  });

  it("gives definitions at unusual places, or with unusual names, legal names that do not clash", () => {
    const definitions = {
      "a b/c": { type: "string" },
      a_b_c: { type: "number" },
      Outer: { type: "object", properties: { inner: { type: "boolean" } } },
    };
    const refs = [
      "#/components/schemas/a%20b~1c",
      "#/components/schemas/a_b_c",
      "#/components/schemas/Outer/properties/inner",
    ];
    const { schema } = convertRoot(
      { type: "object", properties: Object.fromEntries(refs.map(($ref, index) => [`p${index}`, { $ref }])) },
      "3.0",
      definitions,
    );
    const names = Object.keys(schema["$defs"] as object);
    expect(names).toHaveLength(3);
    expect(names[0]).toMatch(/^a_b_1c_[0-9a-f]{6}$|^a_b_c_[0-9a-f]{6}$/);
    expect(names[1]).toBe("a_b_c");
    expect(names[2]).toMatch(/^inner_[0-9a-f]{6}$/);
    for (const name of names) expect(name).toMatch(/^[\w.-]+$/);
  });

  it("accepts anything in the place of a reference that leads nowhere, and says so", () => {
    const { it: converted, notes } = convertOne({ $ref: "https://example.com/x.json#/A" });
    expect(converted).toEqual({});
    expect(notes).toEqual([
      'A schema accepts anything: "https://example.com/x.json#/A" is in another document, which is not fetched: pass it in `documents`.',
    ]);
  });

  it("wraps a nullable reference in a union", () => {
    const nullable = { allOf: [{ $ref: "#/components/schemas/A" }], nullable: true, description: "d" };
    expect(convertOne(nullable, "3.0", { A: { type: "object" } }).it).toEqual({
      description: "d",
      anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }],
    });
  });
});

describe("merging allOf", () => {
  it("merges properties and required names of all parts, those of references included", () => {
    const definitions = {
      Base: { type: "object", required: ["a"], properties: { a: { type: "string" } }, additionalProperties: false },
      Middle: { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { b: { type: "number", minimum: 1 } } }] },
    };
    const schema = {
      description: "whole",
      allOf: [{ $ref: "#/components/schemas/Middle" }, { required: ["b"], properties: { b: { maximum: 9 }, c: {} } }],
    };
    expect(convertRoot(schema, "3.0", definitions).schema).toEqual({
      type: "object",
      description: "whole",
      properties: { a: { type: "string" }, b: { type: "number", minimum: 1, maximum: 9 }, c: {} },
      required: ["a", "b"],
    });
  });

  it("keeps parts that contradict each other side by side within the property", () => {
    const schema = {
      allOf: [
        { type: "object", properties: { a: { type: "string", pattern: "^a" } } },
        { type: "object", properties: { a: { type: "string", pattern: "b$" } } },
      ],
    };
    expect(convertRoot(schema).schema["properties"]).toEqual({
      a: {
        allOf: [
          { type: "string", pattern: "^a" },
          { type: "string", pattern: "b$" },
        ],
      },
    });
  });

  it("merges nested ones in a definition of their own, so that recursive ones end", () => {
    const definitions = {
      Tree: {
        type: "object",
        properties: {
          child: { allOf: [{ $ref: "#/components/schemas/Tree" }, { properties: { depth: { type: "integer" } } }] },
        },
      },
    };
    const { schema } = convertRoot({ $ref: "#/components/schemas/Tree" }, "3.0", definitions);
    const child = (schema["properties"] as { child: { $ref: string } }).child.$ref.replace("#/$defs/", "");
    expect(child).toMatch(/^child_[0-9a-f]{6}$/);
    expect((schema["$defs"] as { [name: string]: unknown })[child]).toEqual({
      type: "object",
      properties: { child: { $ref: `#/$defs/${child}` }, depth: { type: "integer" } },
    });
  });

  it("ends in circles of allOf, and takes each part once however often it is named", () => {
    const circle = {
      A: { allOf: [{ $ref: "#/components/schemas/B" }], properties: { a: {} } },
      B: { allOf: [{ $ref: "#/components/schemas/A" }], properties: { b: {} } },
    };
    expect(Object.keys(convertRoot(circle.A, "3.0", circle).schema["properties"] as object)).toEqual(["a", "b"]);
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `N${index}`,
        {
          properties: { [`p${index}`]: {} },
          ...(index < 39 && { allOf: [0, 1].map(() => ({ $ref: `#/components/schemas/N${index + 1}` })) }),
        },
      ]),
    );
    expect(
      Object.keys(convertRoot({ $ref: "#/components/schemas/N0" }, "3.0", doubling).schema["properties"] as object),
    ).toHaveLength(40);
  });

  it("merges bounds to the narrower ones, and values to those that all allow", () => {
    const part = (more: object): object => ({ type: "integer", ...more });
    const schema = {
      allOf: [
        part({ minimum: 1, maximum: 9, enum: [1, 2, 3] }),
        { type: "number", minimum: 2, maximum: 20, enum: [2, 3, 4], title: "t" },
      ],
    };
    expect(convertRoot(schema).schema).toEqual({ type: "integer", minimum: 2, maximum: 9, enum: [2, 3] });
  });
});

describe("the size of schemas", () => {
  const long = "word ".repeat(90).trim();
  const wide = (next: string | undefined): object => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `property${index}`,
        index === 0 && next !== undefined
          ? { $ref: `#/components/schemas/${next}` }
          : { type: "string", description: long },
      ]),
    ),
  });
  const chainOf = (length: number): { [name: string]: object } =>
    Object.fromEntries(
      Array.from({ length }, (_, index) => [`L${index}`, wide(index + 1 < length ? `L${index + 1}` : undefined)]),
    );

  it("shortens descriptions of a large schema first", () => {
    const { schema, notes } = convertOne({ $ref: "#/components/schemas/L0" }, "3.0", chainOf(4));
    expect(notes).toEqual(["Descriptions are shortened, because the schema is large."]);
    expect(JSON.stringify(schema).length).toBeLessThanOrEqual(64 * 1024);
    expect(Object.keys(schema["$defs"] as object)).toEqual(["L0", "L1", "L2", "L3"]);
  });

  it("then cuts the definitions that are farthest from the root, which keep their type", () => {
    const { schema, notes } = convertOne({ $ref: "#/components/schemas/L0" }, "3.0", chainOf(30));
    expect(notes).toEqual(["The schema is larger than 64 KiB; its deeper levels accept anything."]);
    expect(JSON.stringify(schema).length).toBeLessThanOrEqual(65 * 1024);
    const definitions = Object.values(schema["$defs"] as object);
    expect(definitions.length).toBeGreaterThan(4);
    expect(definitions.at(-1)).toEqual({ type: "object" });
  });

  it("cuts the inner levels of a root that is too large by itself", () => {
    const nested = (levels: number): object =>
      levels === 0
        ? { type: "string", description: long }
        : { type: "object", properties: { a: nested(levels - 1), b: nested(levels - 1), c: nested(levels - 1) } };
    const { schema, notes } = convertRoot(nested(7));
    expect(notes).toEqual(["The schema is larger than 64 KiB; its deeper levels accept anything."]);
    expect(JSON.stringify(schema).length).toBeLessThanOrEqual(64 * 1024);
    expect(schema).toMatchObject({ properties: { a: { properties: { b: { type: "object" } } } } });
  });
});
