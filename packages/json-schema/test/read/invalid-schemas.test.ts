import { describe, expect, it } from "vitest";
import { createJsonSchemaValidator, SchemaError, type JsonSchema } from "../../src/index.ts";
import { INVALID_SCHEMAS, nest, OVERSIZED_SCHEMAS } from "./invalid-schemas.ts";

const { compile } = createJsonSchemaValidator();

describe("a schema that is not valid", () => {
  it.each(INVALID_SCHEMAS)("%j is refused at definition, and the error says where and why", (schema, reason) => {
    const define = (): unknown => compile(schema as JsonSchema);
    expect(define).toThrow(SchemaError);
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
  it("a schema just within the limit of depth is accepted", () => {
    expect(() => compile(nest(99))).not.toThrow();
  });

  it.each(OVERSIZED_SCHEMAS)("a schema beyond the limit on %s is refused", (_what, schema, reason) => {
    expect(() => compile(schema)).toThrow(reason);
  });

  it("can be moved", () => {
    const strict = createJsonSchemaValidator({ limits: { maxDepth: 2, maxSize: 100, maxSubschemas: 3 } });
    expect(() => strict.compile({ properties: { a: {} } })).toThrow("2 levels");
    expect(() => strict.compile({ title: "x".repeat(100) })).toThrow("100 characters");
    expect(() => strict.compile({ anyOf: [{ $ref: "#" }, true, false] })).toThrow("2 levels");
    expect(() => strict.compile({ items: true, contains: true, not: false })).not.toThrow();
    expect(() => createJsonSchemaValidator({ limits: { maxDepth: 1_000 } }).compile(nest(500))).not.toThrow();
  });
});
