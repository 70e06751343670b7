import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { createJsonSchemaValidator } from "../../src/json-schema/index.ts";
import type { JsonSchema } from "../../src/schema/index.ts";

const { compile } = createJsonSchemaValidator();

describe("a schema that is not valid", () => {
  it.each<[unknown, string]>([
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
  ])("%j is refused at definition, and the error says where and why", (schema, reason) => {
    const define = (): unknown => compile(schema as JsonSchema);
    expect(define).toThrow(UsageError);
    expect(define).toThrow(expect.objectContaining({ code: "INVALID_SCHEMA" }));
    expect(define).toThrow(reason);
  });

  it("is not one that has keywords nobody knows", () => {
    const schema = { "x-order": 1, nullable: true, $async: true, discriminator: { propertyName: "a" }, type: "string" };
    expect(compile(schema)("x")).toEqual({ ok: true, value: "x" });
    expect(compile(schema)(null).ok).toBe(false);
  });
});

describe("true and false", () => {
  it("are schemas", () => {
    expect(compile(true)(undefined).ok).toBe(true);
    expect(compile(false)(1)).toEqual({
      ok: false,
      issues: [{ path: "", kind: "never", message: "nothing is allowed here: leave it out" }],
    });
  });
});

describe("the bounds", () => {
  function nest(depth: number): JsonSchema {
    let schema: JsonSchema = true;
    for (let level = 0; level < depth; level++) schema = { not: schema };
    return schema;
  }

  it("on depth", () => {
    expect(() => compile(nest(99))).not.toThrow();
    expect(() => compile(nest(101))).toThrow("nested more than 100 levels deep");
    expect(() => compile(nest(100_000))).toThrow("nested more than 100 levels deep");
    expect(() => compile({ default: JSON.parse("[".repeat(200_000) + "]".repeat(200_000)) as unknown })).toThrow(
      "levels deep",
    );
  });

  it("on size", () => {
    expect(() => compile({ description: "x".repeat(2_000_000) })).toThrow("larger than 1000000 characters");
  });

  it("on the number of subschemas", () => {
    const anyOf = Array.from({ length: 10_001 }, () => ({}));
    expect(() => compile({ anyOf })).toThrow("more than 10000 subschemas");
  });

  it("can be moved", () => {
    const strict = createJsonSchemaValidator({ limits: { maxDepth: 2, maxSize: 100, maxSubschemas: 3 } });
    expect(() => strict.compile({ properties: { a: {} } })).toThrow("2 levels");
    expect(() => strict.compile({ title: "x".repeat(100) })).toThrow("100 characters");
    expect(() => strict.compile({ anyOf: [{ $ref: "#" }, true, false] })).toThrow("2 levels");
    expect(() => strict.compile({ items: true, contains: true, not: false })).not.toThrow();
    expect(() => createJsonSchemaValidator({ limits: { maxDepth: 1_000 } }).compile(nest(500))).not.toThrow();
  });

  it("catch schemas that contain themselves", () => {
    const schema: Record<string, unknown> = {};
    schema["not"] = schema;
    expect(() => compile(schema)).toThrow("levels deep");
  });
});
