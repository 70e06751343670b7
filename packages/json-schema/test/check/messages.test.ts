import { describe, expect, it } from "vitest";
import { createJsonSchemaValidator, describeIssues, type JsonSchema } from "../../src/index.ts";

const { compile } = createJsonSchemaValidator();

function complain(schema: JsonSchema, value: unknown): string {
  const result = compile(schema)(value);
  return result.ok ? "fine" : describeIssues(result.issues);
}

function kinds(schema: JsonSchema, value: unknown): string[] {
  const result = compile(schema)(value);
  return result.ok ? [] : result.issues.map(({ kind }) => kind);
}

const WEATHER = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 1 },
    units: { enum: ["metric", "imperial"] },
    days: { type: "integer", minimum: 1, maximum: 14 },
    tags: { type: "array", items: { type: "string" }, maxItems: 3 },
    when: { type: "string", format: "date-time" },
  },
  required: ["city", "tags"],
  additionalProperties: false,
};

describe("the text that a model reads about its arguments", () => {
  it("names everything that is wrong, with path, expectation and what came", () => {
    expect(complain(WEATHER, { cty: "Rome", units: "kelvin", days: 99, when: "yesterday" })).toBe(
      [
        "- city: missing required field (string)",
        "- tags: missing required field (array of string)",
        '- units: expected "metric" or "imperial", got "kelvin"',
        "- days: expected at most 14, got 99",
        '- when: expected a date and time such as 2026-07-28T09:30:00Z, got "yesterday"',
        '- cty: unknown property; did you mean "city"?',
      ].join("\n"),
    );
  });

  it("finds positions inside of arrays", () => {
    expect(complain(WEATHER, { city: "Rome", tags: ["a", 7, null] })).toBe(
      "- tags[1]: expected string, got number 7\n- tags[2]: expected string, got null",
    );
  });

  it("does not go on about a value of the wrong type", () => {
    expect(complain(WEATHER, "Rome")).toBe('- expected object, got string "Rome"');
    expect(complain(WEATHER, [])).toBe("- expected object, got array");
  });
});

describe("each kind of rule", () => {
  it.each<[JsonSchema, unknown, string, string]>([
    [{ type: ["string", "null"] }, 1, "type", "- expected string or null, got number 1"],
    [{ type: "integer" }, 1.5, "type", "- expected integer, got number 1.5"],
    [{ type: "number" }, Number.NaN, "type", "- expected number, got number NaN"],
    [{ const: { a: 1 } }, { a: 2 }, "const", '- expected {"a":1}, got an object with a'],
    [{ enum: [] }, 1, "enum", "- expected nothing, got 1"],
    [{ minimum: 3 }, 2, "minimum", "- expected at least 3, got 2"],
    [{ exclusiveMinimum: 3 }, 3, "minimum", "- expected more than 3, got 3"],
    [{ exclusiveMaximum: 3 }, 3, "maximum", "- expected less than 3, got 3"],
    [{ multipleOf: 0.01 }, 0.005, "multiple-of", "- expected a multiple of 0.01, got 0.005"],
    [{ minLength: 2 }, "😀", "length", '- expected at least 2 characters, got 1: "😀"'],
    [{ maxLength: 2 }, "abc", "length", '- expected at most 2 characters, got 3: "abc"'],
    [{ pattern: "^[a-z]+$" }, "ABC", "pattern", '- expected to match ^[a-z]+$, got "ABC"'],
    [{ format: "email" }, "me", "format", '- expected an email address such as name@example.org, got "me"'],
    [{ minItems: 1 }, [], "item-count", "- expected at least 1 item, got 0"],
    [{ maxItems: 1 }, [1, 2], "item-count", "- expected at most 1 item, got 2"],
    [{ prefixItems: [true], items: false }, [1, 2], "item-count", "- expected at most 1 item, got 2"],
    [
      { uniqueItems: true },
      [{ a: 1, b: 2 }, 0, { b: 2, a: 1 }],
      "unique",
      "- expected no two equal items, but items 0 and 2 are",
    ],
    [{ contains: { type: "string" } }, [1], "contains", "- expected at least 1 item of one kind (string), got 0"],
    [{ contains: true, maxContains: 1 }, [1, 2], "contains", "- expected at most 1 item of one kind, got more"],
    [{ minProperties: 1 }, {}, "property-count", "- expected at least 1 property, got 0"],
    [{ maxProperties: 0 }, { a: 1 }, "property-count", "- expected at most 0 properties, got 1"],
    [
      { propertyNames: { maxLength: 2 } },
      { abc: 1 },
      "property-name",
      '- abc: a property cannot have this name: expected at most 2 characters, got 3: "abc"',
    ],
    [
      { dependentRequired: { card: ["cvc"] } },
      { card: 1 },
      "required",
      "- cvc: missing required field, which goes with card",
    ],
    [{ properties: { a: false } }, { a: 1 }, "never", "- a: nothing is allowed here: leave it out"],
    [{ not: { type: "null" } }, null, "not", "- expected anything but null, got null"],
    [
      { oneOf: [{ minimum: 1 }, { maximum: 9 }] },
      5,
      "union",
      "- expected to match one of 2 forms, but matches forms 1 and 2",
    ],
    [
      { unevaluatedProperties: false, properties: { a: true } },
      { b: 1 },
      "unknown-property",
      '- b: unknown property; did you mean "a"?',
    ],
  ])("%j on %j", (schema, value, kind, message) => {
    expect(complain(schema, value)).toBe(message);
    expect(kinds(schema, value)).toEqual([kind]);
  });
});

describe("unknown properties", () => {
  const schema = { properties: { maxResults: {}, query: {}, sort_by: {} }, additionalProperties: false };

  it.each([
    ["max_results", '"maxResults"'],
    ["maxresult", '"maxResults"'],
    ["qurey", '"query"'],
    ["sortBy", '"sort_by"'],
  ])("%s: did you mean %s?", (name, suggestion) => {
    expect(complain(schema, { [name]: 1 })).toBe(`- ${name}: unknown property; did you mean ${suggestion}?`);
  });

  it("lists what there is where nothing is near, but not what was given", () => {
    expect(complain(schema, { page: 1, query: "x" })).toBe(
      "- page: unknown property; known and not given: maxResults or sort_by",
    );
  });
});

describe("unions", () => {
  it("unions of plain values read like an enum", () => {
    const schema = { oneOf: [{ const: "s", title: "Small" }, { const: "l", title: "Large" }, { enum: ["xl"] }] };
    expect(complain(schema, "m")).toBe('- expected "s", "l" or "xl", got "m"');
  });

  it("unions of types read like one type", () => {
    expect(complain({ anyOf: [{ type: "string" }, { type: "number" }] }, true)).toBe(
      "- expected string or number, got boolean true",
    );
  });

  it("unions with null show what is wrong with the rest", () => {
    const schema = {
      anyOf: [{ type: "null" }, { type: "object", required: ["a"], properties: { a: { type: "number" } } }],
    };
    expect(complain(schema, {})).toBe("- a: missing required field (number)");
  });

  const SHAPE = {
    anyOf: [{ $ref: "#/$defs/circle" }, { $ref: "#/$defs/square" }],
    $defs: {
      circle: {
        type: "object",
        properties: { kind: { const: "circle" }, r: { type: "number" } },
        required: ["kind", "r"],
      },
      square: {
        type: "object",
        properties: { kind: { const: "square" }, a: { type: "number" } },
        required: ["kind", "a"],
      },
    },
  };

  it("unions with a discriminator are explained by the form that it names", () => {
    expect(complain(SHAPE, { kind: "square", r: 1 })).toBe("- a: missing required field (number)");
    expect(complain(SHAPE, { kind: "line" })).toBe('- kind: expected "circle" or "square", got "line"');
    expect(complain(SHAPE, { r: 1 })).toBe('- kind: missing required field ("circle" or "square")');
    expect(kinds(SHAPE, { kind: "line" })).toEqual(["enum"]);
  });

  it("do not take a property for a discriminator that may be left out", () => {
    const schema = {
      anyOf: [
        { type: "object", properties: { kind: { const: "a" }, n: { type: "number" } }, required: ["n"] },
        { type: "object", properties: { kind: { const: "b" }, s: { type: "string" }, t: true }, required: ["s", "t"] },
      ],
    };
    expect(complain(schema, {})).toContain("- n: missing required field (number)");
  });

  it("show the form that comes closest if they have no discriminator", () => {
    const schema = {
      anyOf: [
        { type: "object", required: ["a", "b", "c"] },
        { type: "object", required: ["x"], properties: { x: { type: "string" } } },
      ],
    };
    expect(complain(schema, { x: 1 })).toBe(
      "- matches none of the 2 allowed forms; form 2 comes closest, and fails as follows\n- x: expected string, got number 1",
    );
  });

  it("inside of unions are not followed for ever", () => {
    const nest = (depth: number): JsonSchema =>
      depth === 0
        ? { type: "string" }
        : { anyOf: [{ required: ["q"] }, { properties: { next: nest(depth - 1) }, required: ["p"] }] };
    expect(complain(nest(12), { next: { next: { next: {} } } }).split("\n").length).toBeLessThan(12);
  });
});

describe("length", () => {
  it("shows little of a large value", () => {
    const schema = {
      type: "object",
      properties: { a: { maxLength: 5 }, b: { enum: Array.from({ length: 500 }, (_, n) => n) } },
    };
    const text = complain(schema, { a: "x".repeat(1_000_000), b: { [`k${"y".repeat(1_000_000)}`]: 1 } });
    expect(text.length).toBeLessThan(400);
    expect(text).toContain("or one of 490 others");
  });

  it("lists each complaint once", () => {
    const schema = { allOf: [{ required: ["a"] }, { required: ["a"] }] };
    expect(complain(schema, {})).toBe("- a: missing required field");
  });

  it("stops collecting at twenty", () => {
    const result = compile({ items: { type: "string" } })(Array.from({ length: 1_000_000 }, () => 1));
    expect(result.ok || result.issues).toHaveLength(20);
  });
});
