import { untrustedSchemaValidator, type JsonSchema, type JsonSchemaObject } from "@toolwire/json-schema";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieldKindOf, hintOf } from "../../page/src/form/field-kind.ts";
import { initialValue, memberOf, placeOf, withMember } from "../../page/src/form/form-value.ts";
import { PAYMENT_INPUT } from "../admin/fixture/seeded-servers.ts";

describe("the inputs for schemas", () => {
  test.each<[string, JsonSchemaObject, string]>([
    ["a text", { type: "string" }, "text"],
    ["a text or null", { type: ["string", "null"] }, "text"],
    ["a number", { type: "number" }, "number"],
    ["a whole number or null, as a union", { anyOf: [{ type: "integer" }, { type: "null" }] }, "number"],
    ["a truth value", { type: "boolean" }, "boolean"],
    ["a list of values", { enum: ["a", 1, null] }, "choice"],
    ["a fixed value", { const: 5 }, "choice"],
    ["fixed values as a union", { oneOf: [{ const: "a" }, { const: "b" }] }, "choice"],
    ["a list", { type: "array", items: { type: "string" } }, "list"],
    ["a list of fixed places", { type: "array", prefixItems: [{ type: "string" }], items: {} }, "json"],
    ["a list of anything", { type: "array" }, "json"],
    ["an object", { type: "object", properties: { a: {} } }, "object"],
    ["an object without a type", { properties: { a: {} } }, "object"],
    ["an object with any names", { type: "object", additionalProperties: { type: "string" } }, "json"],
    ["a union", { oneOf: [{ type: "string" }, { type: "object", properties: { a: {} } }] }, "union"],
    ["several types", { type: ["string", "number"] }, "json"],
    ["anything", {}, "json"],
  ])("%s gets the input that fits", (_, schema, kind) => {
    expect(fieldKindOf(schema, schema).kind).toBe(kind);
  });

  test("A reference is followed, with the words beside it", () => {
    const root: JsonSchemaObject = {
      $defs: { "a/b": { type: "integer", description: "of the definition" }, same: { $ref: "#/$defs/a~1b" } },
    };
    expect(fieldKindOf({ $ref: "#/$defs/same" }, root)).toEqual({ kind: "number", isInteger: true });
    expect(hintOf({ $ref: "#/$defs/same", description: "of this place" }, root)).toBe("of this place");
    expect(fieldKindOf({ $ref: "https://elsewhere.example/schema" }, root).kind).toBe("json");
  });

  test("A schema that contains itself ends as JSON, and one that only refers to itself does, too", () => {
    const tree: JsonSchemaObject = { type: "object", properties: { child: { $ref: "#" } } };
    let kind = fieldKindOf(tree, tree, 0);
    for (let depth = 1; depth < 20 && kind.kind === "object"; depth += 1) {
      const child: JsonSchema = kind.members[0]?.schema ?? true;
      kind = fieldKindOf(child, tree, depth);
    }
    expect(kind.kind).toBe("json");
    const loop: JsonSchemaObject = { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
    expect(fieldKindOf({ $ref: "#/$defs/a" }, loop).kind).toBe("json");
  });

  test("Forms of a union are named by their title, or else by their type or number, and keep what is beside them", () => {
    const schema: JsonSchemaObject = {
      description: "of the union",
      maxLength: 5,
      oneOf: [{ title: "First", type: "string" }, { type: "integer" }, { title: "", type: "object" }, {}, true],
    };
    const field = fieldKindOf(schema, schema);
    const variants = field.kind === "union" ? field.variants : [];
    expect(variants.map(({ name }) => name)).toEqual(["First", "Integer", "Object", "Form 4", "Form 5"]);
    expect(variants[0]?.schema).toEqual({ maxLength: 5, title: "First", type: "string" });
    expect(variants[4]?.schema).toBe(true);
  });

  test("A long text has room, unless it has a format, and large sets are written as JSON", () => {
    const isLong = (schema: JsonSchemaObject): unknown => {
      const field = fieldKindOf(schema, schema);
      return field.kind === "text" ? field.isLong : field.kind;
    };
    expect(isLong({ type: "string", maxLength: 200 })).toBe(false);
    expect(isLong({ type: "string", maxLength: 201 })).toBe(true);
    expect(isLong({ type: "string", maxLength: 201, format: "uri" })).toBe(false);
    const values = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
    expect(isLong({ enum: values(500) })).toBe("choice");
    expect(isLong({ enum: values(501) })).toBe("json");
    const members = (count: number): JsonSchemaObject => ({
      type: "object",
      properties: Object.fromEntries(values(count).map((index) => [`m${index}`, {}])),
    });
    expect(isLong(members(200))).toBe("object");
    expect(isLong(members(201))).toBe("json");
    for (const keyword of ["allOf", "patternProperties", "if"]) {
      expect([keyword, isLong({ ...members(1), [keyword]: {} })]).toEqual([keyword, "json"]);
    }
    expect(isLong({ oneOf: [] })).toBe("json");
    expect(isLong({ type: ["null", "string"], maxLength: 300 })).toBe(true);
  });

  test("Every limit of a schema is in its hint", () => {
    const limits = {
      minimum: 1,
      maximum: 2,
      minLength: 3,
      maxLength: 4,
      minItems: 5,
      maxItems: 6,
      format: "f",
      pattern: "p",
    };
    expect(hintOf(limits, true)).toBe(
      "(at least 1, at most 2, shortest 3, longest 4, fewest 5, most 6, format f, pattern p)",
    );
    expect(hintOf({ default: "x".repeat(100) }, true)).toHaveLength("(default )".length + 80);
    expect([hintOf({}, true), hintOf(true, true), hintOf({ description: 5 as never }, true)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("References are decoded as JSON pointers, and end at what is no schema", () => {
    const root: JsonSchemaObject = {
      $defs: { "a b": { type: "boolean" }, "c~d": { type: "integer" }, list: [1] as never, yes: true },
    };
    const kindOf = ($ref: string): string => fieldKindOf({ $ref }, root).kind;
    expect(kindOf("#/$defs/a%20b")).toBe("boolean");
    expect(kindOf("#/$defs/c~0d")).toBe("number");
    expect(["#/$defs/list", "#/$defs/none", "#/$defs/yes", "#/$defs/%"].map(kindOf)).toEqual(
      Array.from({ length: 4 }, () => "json"),
    );
    expect(fieldKindOf({ $ref: "#" }, { type: "boolean" }).kind).toBe("boolean");
  });

  test("Required members come first, and hints name the limits", () => {
    const field = fieldKindOf(PAYMENT_INPUT, PAYMENT_INPUT);
    expect(field.kind === "object" && field.members.slice(0, 2).map(({ name }) => name)).toEqual([
      "amount",
      "currency",
    ]);
    expect(hintOf({ type: "integer", minimum: 1, maximum: 9, default: 3 }, true)).toBe(
      "(at least 1, at most 9, default 3)",
    );
  });

  test("Any JSON can stand where a schema should, and gets some input", () => {
    fc.assert(
      fc.property(fc.jsonValue() as fc.Arbitrary<JsonSchemaObject>, (schema) => {
        const object = {
          type: "object",
          properties: { x: schema, ["__proto__"]: schema },
          oneOf: undefined,
        } as JsonSchemaObject;
        expect(fieldKindOf(object, object).kind).toMatch(/object|json|union|choice/);
        if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) fieldKindOf(schema, object);
        expect(() => initialValue(object, object)).not.toThrow();
        expect(() => hintOf(object, object)).not.toThrow();
      }),
    );
  });
});

describe("values of forms", () => {
  test("Required objects are there from the start, and nothing else is", () => {
    const schema: JsonSchemaObject = {
      type: "object",
      required: ["a", "n"],
      properties: {
        a: { type: "object", required: ["b"], properties: { b: { type: "object", properties: { c: {} } } } },
        n: { type: "number" },
        o: { type: "object", properties: { p: {} } },
      },
    };
    expect(initialValue(schema, schema)).toEqual({ a: { b: {} } });
  });

  test("A name such as __proto__ is a name like any other", () => {
    const value = withMember({}, "__proto__", { polluted: true });
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(memberOf(value, "__proto__")).toEqual({ polluted: true });
    expect(memberOf({}, "constructor")).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("Members keep their order when they change, and go away when they are emptied", () => {
    const value = withMember(withMember({ a: 1, b: 2 }, "a", 3), "c", 4);
    expect(JSON.stringify(value)).toBe('{"a":3,"b":2,"c":4}');
    expect(withMember(value, "b", undefined)).toEqual({ a: 3, c: 4 });
  });

  test("Places are written as the validator writes them, so that messages find their fields", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30, unit: "binary" }), fc.string({ maxLength: 10 }), (name, inner) => {
        const properties = Object.fromEntries([
          [name, { type: "array", items: { properties: Object.fromEntries([[inner, { type: "string" }]]) } }],
        ]);
        const validate = untrustedSchemaValidator.compile({ type: "object", properties } as JsonSchemaObject);
        const checked = validate(Object.fromEntries([[name, [Object.fromEntries([[inner, 5]])]]]));
        expect(checked.ok ? [] : checked.issues.map(({ path }) => path)).toEqual([
          placeOf(placeOf(placeOf("", name), 0), inner),
        ]);
      }),
      { numRuns: 40 },
    );
  });
});
