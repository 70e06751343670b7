import { describe, expect, it } from "vitest";
import { createJsonSchemaValidator, SchemaError, type JsonSchema } from "../../src/index.ts";

const { compile } = createJsonSchemaValidator();

function accepts(schema: JsonSchema, value: unknown): boolean {
  return compile(schema)(value).ok;
}

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema";
const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";

describe("$schema", () => {
  it.each([
    DRAFT_07,
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft-07/schema#",
    DRAFT_2019,
    "http://json-schema.org/draft/2019-09/schema#",
    DRAFT_2020,
    "http://json-schema.org/draft/2020-12/schema#",
  ])("%s is understood", ($schema) => {
    expect(accepts({ $schema, type: "string" }, "x")).toBe(true);
    expect(accepts({ $schema, type: "string" }, 1)).toBe(false);
  });

  it.each([
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema",
    "https://example.org/mine",
    7,
  ])("%s is refused, and the error lists what is supported", ($schema) => {
    expect(() => compile({ $schema })).toThrow(SchemaError);
    expect(() => compile({ $schema })).toThrow(expect.objectContaining({ code: "UNSUPPORTED_DIALECT" }));
    for (const supported of [DRAFT_07, DRAFT_2019, DRAFT_2020]) expect(() => compile({ $schema })).toThrow(supported);
  });

  it("cannot change inside of a document", () => {
    expect(() => compile({ $defs: { old: { $id: "https://example.org/old", $schema: DRAFT_07 } } })).toThrow(
      "mix dialects",
    );
  });
});

describe("2020-12, the default", () => {
  it("has prefixItems, and items for the rest", () => {
    const schema = { prefixItems: [{ type: "string" }], items: { type: "number" } };
    expect(accepts(schema, ["a", 1, 2])).toBe(true);
    expect(accepts(schema, ["a", "b"])).toBe(false);
  });

  it("says what to write instead of a tuple in items", () => {
    expect(() => compile({ items: [{ type: "string" }] })).toThrow("prefixItems");
  });

  it("does not know additionalItems or $recursiveRef", () => {
    expect(accepts({ prefixItems: [true], additionalItems: false }, [1, 2])).toBe(true);
    expect(accepts({ properties: { a: { $recursiveRef: "#" } }, required: ["a"] }, { a: {} })).toBe(true);
  });

  it("follows $dynamicRef where there is one target", () => {
    const schema = { $dynamicAnchor: "node", type: "object", properties: { child: { $dynamicRef: "#node" } } };
    expect(accepts(schema, { child: { child: {} } })).toBe(true);
    expect(accepts(schema, { child: { child: 1 } })).toBe(false);
  });

  it("takes $dynamicRef for $ref where it does not name a dynamic anchor, however many there are", () => {
    const $defs = {
      a: { $id: "https://example.org/a", $dynamicAnchor: "node", $anchor: "plain", type: "string" },
      b: { $id: "https://example.org/b", $dynamicAnchor: "node", type: "number" },
    };
    for (const $dynamicRef of ["#/$defs/a", "https://example.org/a", "https://example.org/a#plain"]) {
      expect(accepts({ $dynamicRef, $defs }, "x")).toBe(true);
      expect(accepts({ $dynamicRef, $defs }, 1)).toBe(false);
    }
    expect(() => compile({ $dynamicRef: "https://example.org/a#node", $defs })).toThrow("2 possible targets");
  });

  it("refuses $dynamicRef where there are several, rather than picking one", () => {
    const schema = {
      $dynamicAnchor: "node",
      properties: { child: { $dynamicRef: "#node" } },
      $defs: { other: { $id: "https://example.org/other", $dynamicAnchor: "node" } },
    };
    expect(() => compile(schema)).toThrow("2 possible targets");
  });

  it("tracks what other keywords have evaluated", () => {
    const schema = { allOf: [{ properties: { a: true } }], properties: { b: true }, unevaluatedProperties: false };
    expect(accepts(schema, { a: 1, b: 2 })).toBe(true);
    expect(accepts(schema, { a: 1, c: 2 })).toBe(false);
    expect(accepts({ prefixItems: [true], contains: { type: "string" }, unevaluatedItems: false }, [1, "a"])).toBe(
      true,
    );
    expect(accepts({ prefixItems: [true], contains: { type: "string" }, unevaluatedItems: false }, [1, "a", 2])).toBe(
      false,
    );
  });
});

describe("2019-09", () => {
  // Core 2019-09, section 9.3.1.3, knows of `items` and `additionalItems` alone; 2020-12 added `contains` (section 11.2).
  it("leaves what contains finds to unevaluatedItems", () => {
    const schema = { contains: { type: "string" }, unevaluatedItems: { type: "number" } };
    expect(accepts({ $schema: DRAFT_2019, ...schema }, ["a", 1])).toBe(false);
    expect(accepts({ $schema: DRAFT_2020, ...schema }, ["a", 1])).toBe(true);
  });

  const $schema = DRAFT_2019;

  it("has tuples in items, and additionalItems for the rest", () => {
    const schema = { $schema, items: [{ type: "string" }], additionalItems: { type: "number" } };
    expect(accepts(schema, ["a", 1])).toBe(true);
    expect(accepts(schema, ["a", "b"])).toBe(false);
  });

  it("has $recursiveRef", () => {
    const schema = { $schema, $recursiveAnchor: true, type: "object", properties: { child: { $recursiveRef: "#" } } };
    expect(accepts(schema, { child: { child: {} } })).toBe(true);
    expect(accepts(schema, { child: { child: [] } })).toBe(false);
  });

  it("has dependentRequired and $anchor, but not prefixItems", () => {
    expect(accepts({ $schema, dependentRequired: { a: ["b"] } }, { a: 1 })).toBe(false);
    expect(accepts({ $schema, $ref: "#x", $defs: { x: { $anchor: "x", type: "null" } } }, 1)).toBe(false);
    expect(accepts({ $schema, prefixItems: [{ type: "string" }] }, [1])).toBe(true);
  });
});

describe("draft-07", () => {
  const $schema = DRAFT_07;

  it("has tuples in items, and additionalItems only next to them", () => {
    const schema = { $schema, items: [{ type: "string" }], additionalItems: false };
    expect(accepts(schema, ["a"])).toBe(true);
    expect(accepts(schema, ["a", 1])).toBe(false);
    expect(accepts({ $schema, items: { type: "string" }, additionalItems: false }, ["a", "b"])).toBe(true);
    expect(accepts({ $schema, items: [], additionalItems: false }, [1])).toBe(false);
  });

  it("ignores what stands next to $ref", () => {
    const schema = {
      $schema,
      definitions: { any: {} },
      properties: { a: { $ref: "#/definitions/any", type: "string" } },
    };
    expect(accepts(schema, { a: 1 })).toBe(true);
    expect(accepts({ ...schema, $schema: DRAFT_2020 }, { a: 1 })).toBe(false);
  });

  it("has dependencies of both kinds, and $id as anchor", () => {
    const schema = {
      $schema,
      dependencies: { a: ["b"], c: { required: ["d"] } },
      properties: { e: { $ref: "#e" } },
      definitions: { e: { $id: "#e", type: "null" } },
    };
    expect(accepts(schema, { a: 1, b: 1, c: 1, d: 1, e: null })).toBe(true);
    expect(accepts(schema, { a: 1 })).toBe(false);
    expect(accepts(schema, { c: 1 })).toBe(false);
    expect(accepts(schema, { e: 1 })).toBe(false);
  });

  it("does not know what came later", () => {
    const schema = { $schema, prefixItems: [false], dependentRequired: { a: ["b"] }, unevaluatedProperties: false };
    expect(accepts(schema, { a: 1 })).toBe(true);
    expect(accepts({ $schema, contains: { const: 1 }, maxContains: 1 }, [1, 1])).toBe(true);
  });
});

describe("beyond the letter", () => {
  it("format is checked in all dialects, and unknown formats are only notes", () => {
    for (const $schema of [DRAFT_07, DRAFT_2019, DRAFT_2020]) {
      expect(accepts({ $schema, format: "ipv4" }, "1.2.3.256")).toBe(false);
      expect(accepts({ $schema, format: "x-invented" }, "anything")).toBe(true);
    }
  });

  it("multiples are found in spite of binary fractions", () => {
    expect(accepts({ multipleOf: 0.01 }, 19.99)).toBe(true);
    expect(accepts({ multipleOf: 0.1 }, 0.35)).toBe(false);
    expect(accepts({ multipleOf: 0.5 }, 1e308)).toBe(true);
  });

  it("undefined members count as absent, as in JSON", () => {
    const schema = {
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
      maxProperties: 1,
    };
    expect(accepts(schema, { a: "x", b: undefined })).toBe(true);
    expect(accepts(schema, { a: undefined })).toBe(false);
    expect(accepts({ const: { a: [1] } }, { a: [1], b: undefined })).toBe(true);
    expect(accepts({ enum: [{ a: [1] }] }, { a: [1, undefined] })).toBe(false);
  });
});
