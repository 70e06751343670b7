import { describe, expect, it, onTestFinished, vi } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { readParamHeaders } from "../../src/param-headers/annotations.ts";

const region = { type: "string", "x-mcp-header": "Region" };

function schemaOf(properties: Record<string, unknown>): object {
  return { type: "object", properties };
}

function refusal(schema: unknown): UsageError {
  try {
    readParamHeaders(schema);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(schema)} was accepted.`);
}

describe("readHeaderAnnotations", () => {
  it("finds annotated properties at any depth, in order", () => {
    const schema = schemaOf({
      region,
      query: { type: "string" },
      options: schemaOf({
        priority: { type: "integer", "x-mcp-header": "Priority" },
        deep: schemaOf({ verbose: { type: "boolean", "x-mcp-header": "X-Verbose" } }),
      }),
    });
    expect(readParamHeaders(schema)).toEqual([
      { header: "Region", path: ["region"], type: "string" },
      { header: "Priority", path: ["options", "priority"], type: "integer" },
      { header: "X-Verbose", path: ["options", "deep", "verbose"], type: "boolean" },
    ]);
  });

  it.each([
    ["a schema without annotations", schemaOf({ a: { type: "object", properties: {} } })],
    ["a schema without properties", { type: "object" }],
    ["the schema true", true],
    ["nothing", undefined],
    ["a property of that name", schemaOf({ "x-mcp-header": { type: "string" } })],
    ["data of that name", schemaOf({ a: { default: region, const: region, enum: [region], examples: [region] } })],
  ])("finds none in %s", (_, schema) => {
    expect(readParamHeaders(schema)).toEqual([]);
  });

  it("accepts every character of a field name", () => {
    const name = "!#$%&'*+-.^_`|~09AZaz";
    expect(readParamHeaders(schemaOf({ a: { type: "string", "x-mcp-header": name } }))).toHaveLength(1);
  });

  it("accepts an argument that may be null", () => {
    const schema = schemaOf({ a: { type: ["integer", "null"], "x-mcp-header": "A" } });
    expect(readParamHeaders(schema)).toEqual([{ header: "A", path: ["a"], type: "integer" }]);
  });

  // Thousands of annotations below a name of a megabyte would otherwise fill the memory with its copies.
  it("writes no place out in full as long as nothing is wrong there", () => {
    const schema = schemaOf({ ["n".repeat(1_000)]: schemaOf({ region }) });
    const join = vi.spyOn(Array.prototype, "join");
    onTestFinished(() => join.mockRestore());
    const found = readParamHeaders(schema);
    const { length } = join.mock.calls;
    join.mockRestore();
    expect([found.length, length]).toEqual([1, 0]);
  });

  it("keeps hostile property names apart from the prototype", () => {
    const schema: unknown = JSON.parse('{"properties":{"__proto__":{"type":"string","x-mcp-header":"P"}}}');
    expect(readParamHeaders(schema)).toEqual([{ header: "P", path: ["__proto__"], type: "string" }]);
  });
});

describe("names that are not allowed", () => {
  it.each([
    ["empty", "", /"" is no HTTP field name; give a name/],
    ["a space", "My Region", /"My Region" is no HTTP field name; give a name/],
    ["a colon", "Region:x", /no HTTP field name/],
    ["a tab", "Region\t", /"Region\\t" is no HTTP field name/],
    ["CR and LF", "Region\r\nX: y", /no HTTP field name/],
    ["LF at the end", "Region\n", /no HTTP field name/],
    ["beyond ASCII", "Région", /no HTTP field name/],
    ["a slash", "a/b", /no HTTP field name/],
    ["a number", 7, /7 is no HTTP field name/],
    ["null", null, /null is no HTTP field name/],
    ["undefined", undefined, /undefined is no HTTP field name/],
  ])("%s", (_, name, message) => {
    const error = refusal(schemaOf({ region: { type: "string", "x-mcp-header": name } }));
    expect(error.code).toBe("INVALID_DEFINITION");
    expect(error.message).toMatch(message);
    expect(error.message).toContain('"x-mcp-header" in inputSchema.properties.region');
  });

  it.each([
    ["the same twice", "Region"],
    ["the same but for case", "REGION"],
  ])("%s", (_, name) => {
    const error = refusal(schemaOf({ region, nested: schemaOf({ other: { type: "string", "x-mcp-header": name } }) }));
    expect(error.message).toContain("inputSchema.properties.nested.properties.other");
    expect(error.message).toContain(`"${name}" is also the header of inputSchema.properties.region`);
  });
});

describe("types that are not allowed", () => {
  it.each([
    ["number", '"number"'],
    ["object", '"object"'],
    ["array", '"array"'],
    ["null", '"null"'],
    [["string", "integer"], '["string","integer"]'],
    [["null"], '["null"]'],
    [undefined, "undefined"],
  ])("%j", (type, shown) => {
    const error = refusal(schemaOf({ a: { type, "x-mcp-header": "A" } }));
    expect(error.message).toContain(
      `the type of the argument is ${shown}; it must be "string", "integer" or "boolean"`,
    );
  });
});

it("errors show only the beginning of values that are deeper than any stack", () => {
  const deep: unknown = JSON.parse("[".repeat(400_000) + "]".repeat(400_000));
  expect(refusal(schemaOf({ a: { type: "string", "x-mcp-header": deep } })).message).toContain(
    "[… is no HTTP field name",
  );
  expect(refusal(schemaOf({ a: { type: deep, "x-mcp-header": "A" } })).message).toContain("[…; it must be");
});

describe("places that are not allowed", () => {
  it.each<[string, object]>([
    ["", { ...region, properties: {} }],
    [".items", { items: region }],
    [".items.0", { items: [region] }],
    [".prefixItems.1", { prefixItems: [{}, region] }],
    [".contains", { contains: region }],
    [".additionalItems", { additionalItems: region }],
    [".unevaluatedItems", { unevaluatedItems: region }],
    [".additionalProperties", { additionalProperties: region }],
    [".unevaluatedProperties", { unevaluatedProperties: region }],
    [".propertyNames", { propertyNames: region }],
    [".contentSchema", { contentSchema: region }],
    [".not", { not: region }],
    [".if", { if: region }],
    // oxlint-disable-next-line unicorn/no-thenable -- a schema, not a promise
    [".then", { then: region }],
    [".else", { else: region }],
    [".allOf.0.properties.a", { allOf: [schemaOf({ a: region })] }],
    [".anyOf.0.properties.a", { anyOf: [schemaOf({ a: region })] }],
    [".oneOf.0.properties.a", { oneOf: [schemaOf({ a: region })] }],
    [".patternProperties.^a", { patternProperties: { "^a": region } }],
    [".dependentSchemas.a.properties.b", { dependentSchemas: { a: schemaOf({ b: region }) } }],
    [".dependencies.a", { dependencies: { a: region, b: ["c"] } }],
    [".$defs.region", { properties: { a: { $ref: "#/$defs/region" } }, $defs: { region } }],
    [".definitions.region", { definitions: { region } }],
    [".properties.list.items.properties.a", schemaOf({ list: { type: "array", items: schemaOf({ a: region }) } })],
    [".properties.a.anyOf.0", schemaOf({ a: { anyOf: [region, { type: "null" }] } })],
  ])("inputSchema%s", (place, schema) => {
    const error = refusal(schema);
    expect(error.message).toContain(`"x-mcp-header" in inputSchema${place} is not allowed`);
    expect(error.message).toMatch(/move it to a property reached from the root through `properties` only/);
  });

  it.each<[string, (size: number) => object]>([
    ["properties", (size) => schemaOf(Object.fromEntries(Array.from({ length: size - 1 }, (_, n) => [`p${n}`, {}])))],
    ["alternatives", (size) => ({ anyOf: Array.from({ length: size - 1 }, () => ({})) })],
    ["things that are no schemas", (size) => ({ $defs: Array.from({ length: size - 1 }, () => 1) })],
  ])("more than a validator would look at: %s", (_, makeSchema) => {
    expect(readParamHeaders(makeSchema(10_000))).toEqual([]);
    const error = refusal(makeSchema(10_001));
    expect(error.code).toBe("INVALID_SCHEMA");
    expect(error.message).toBe("The input schema has more than 10000 subschemas.");
  });

  it("deeper than any schema should be", () => {
    let schema: object = {};
    for (let depth = 0; depth < 100_000; depth++) schema = { not: schema };
    expect(refusal(schema).code).toBe("INVALID_SCHEMA");
    const cyclic: Record<string, unknown> = {};
    cyclic["properties"] = { self: cyclic };
    expect(refusal(cyclic).code).toBe("INVALID_SCHEMA");
  });
});
