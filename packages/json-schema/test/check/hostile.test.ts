import { describe, expect, it } from "vitest";
import {
  createJsonSchemaValidator,
  untrustedSchemaValidator,
  type JsonSchema,
  type Validation,
} from "../../src/index.ts";

// Each of these hangs, crashes or lies in a validator that is not careful. Here, one that hangs fails by the test timeout.

const trusted = createJsonSchemaValidator();
const untrusted = untrustedSchemaValidator;
const hasty = createJsonSchemaValidator({ untrusted: true, limits: { maxSteps: 100_000 } });

function kindsOf(result: Validation): string[] {
  return result.ok ? [] : result.issues.map(({ kind }) => kind);
}

describe("patterns that backtrack without end", () => {
  const PATTERNS = [
    "^(a+)+$",
    "^(a|a)*$",
    "^(a|ab)*c$",
    "^(?:a?){40}a{40}$",
    "(a*)*b",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(?=.*[A-Z])(?=.*\\d).{8,}",
    "(?=a*b)c",
  ];

  it.each(PATTERNS)("%s is matched in linear time, trusted or not", (pattern) => {
    for (const { compile } of [trusted, untrusted]) {
      expect(kindsOf(compile({ pattern })(`${"a".repeat(5_000)}!`))).toEqual(["pattern"]);
      expect(kindsOf(compile({ patternProperties: { [pattern]: false } })({ [`${"a".repeat(5_000)}!`]: 1 }))).toEqual(
        [],
      );
    }
  });

  it("backreferences are refused in untrusted schemas, and accepted in trusted ones", () => {
    expect(() => untrusted.compile({ pattern: "^(a+)\\1$" })).toThrow('the backreference "\\1"');
    expect(trusted.compile({ pattern: "^(a+)\\1$" })("aa").ok).toBe(true);
  });

  it("backreferences are accepted in patterns that only work without the flag u, and at any length", () => {
    expect(trusted.compile({ pattern: "^(a+)\\-\\1$" })("a-a").ok).toBe(true);
    expect(trusted.compile({ pattern: `^(a)\\1${"b?".repeat(3_000)}$` })("aa").ok).toBe(true);
    expect(() => trusted.compile({ pattern: "^(a\\1$" })).toThrow("Unterminated group");
  });

  it("cannot fill the memory with their repetitions", () => {
    expect(() => untrusted.compile({ pattern: "((a{90}){90}){90}" })).toThrow("10000");
    const anyOf = Array.from({ length: 100 }, (_, n) => ({ pattern: `(a|b)*(?:c{1500}|d{${1_500 + n}})` }));
    expect(() => untrusted.compile({ anyOf })).toThrow("too many large patterns");
    const simple = Array.from({ length: 100 }, (_, n) => ({ pattern: `^a{9000}${n}` }));
    expect(() => untrusted.compile({ anyOf: simple })).toThrow("too many large patterns");
    const usual = Array.from({ length: 1_000 }, (_, n) => ({ pattern: `^[a-z]{1,128}${n}$` }));
    expect(() => untrusted.compile({ anyOf: usual })).not.toThrow();
  });

  it.each(["^(?:a|b|ab)*$", "(?=.*x)a", "^(?!.*--)[a-z-]+$"])(
    "%s takes no more steps for a text of four megabytes than others, also in trusted schemas",
    (pattern) => {
      for (const schema of [{ pattern }, { propertyNames: { pattern } }, { patternProperties: { [pattern]: false } }]) {
        const text = "ab".repeat(2_000_000);
        const { compile } = createJsonSchemaValidator();
        expect(kindsOf(compile(schema)("pattern" in schema ? text : { [text]: 1 }))).toEqual(["too-complex"]);
      }
    },
  );

  it("are matched by our engine where that of the platform runs out of memory", () => {
    const unlimited = createJsonSchemaValidator({ limits: { maxSteps: Infinity } });
    const validate = unlimited.compile({ pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" });
    expect(["a-".repeat(6_000_000), `${"a-".repeat(6_000_000)}a`].map((text) => validate(text).ok)).toEqual([
      false,
      true,
    ]);
    expect(kindsOf(untrusted.compile({ pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" })("a-".repeat(6_000_000)))).toEqual([
      "too-complex",
    ]);
  }, 120_000);

  it("cannot use up more steps than there are", () => {
    const validate = hasty.compile({ pattern: "^(?:(?=.*x)a)*$" });
    expect(kindsOf(validate(`${"a".repeat(20_000)}x`))).toEqual(["too-complex"]);
  });
});

describe("schemas that double at every level", () => {
  function double(keyword: "allOf" | "anyOf" | "oneOf"): JsonSchema {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `d${n}`,
        { [keyword]: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ]),
    );
    return { $ref: "#/$defs/d0", $defs: { ...$defs, d60: { type: "string" } } };
  }

  it.each([
    ["allOf", "x"],
    ["anyOf", 1],
    ["oneOf", "x"],
  ] as const)("stop at the budget if they double by %s", (keyword, value) => {
    expect(kindsOf(hasty.compile(double(keyword))(value))).toEqual(["too-complex"]);
  });

  it("have less of a budget if they are untrusted, which suffices for a value of a million parts", () => {
    const validate = untrusted.compile({ items: { type: "number" } });
    expect(validate(Array.from({ length: 1_000_000 }, () => 1)).ok).toBe(true);
    expect(kindsOf(validate(Array.from({ length: 2_000_000 }, () => 1)))).toEqual(["too-complex"]);
  });

  it("have a budget that can be set", () => {
    const { compile } = createJsonSchemaValidator({ untrusted: true, limits: { maxSteps: 10 } });
    const validate = compile({ items: { type: "number" } });
    expect(validate([1, 2, 3]).ok).toBe(true);
    expect(kindsOf(validate(Array.from({ length: 100 }, () => 1)))).toEqual(["too-complex"]);
  });
});

describe("schemas that name more than anybody has", () => {
  const MANY = 60_000;
  const names = Array.from({ length: MANY }, (_, n) => n.toString(36));
  const named = (value: unknown): Record<string, unknown> => Object.fromEntries(names.map((name) => [name, value]));
  const all = named(1);

  it.each<[string, JsonSchema, unknown]>([
    ["required", { required: names }, all],
    ["dependentSchemas", { dependentSchemas: named(true) }, {}],
    ["dependentRequired", { dependentRequired: named([]) }, {}],
    ["names in dependentRequired", { dependentRequired: { 0: names } }, all],
    [
      "patternProperties",
      { patternProperties: Object.fromEntries(names.slice(0, 40_000).map((name) => [`^${name}`, true])) },
      { "": 1 },
    ],
    [
      "dependentSchemas next to unevaluatedProperties",
      { dependentSchemas: named(true), unevaluatedProperties: false },
      {},
    ],
  ])("pay for it with every value: %s", (_, schema, value) => {
    const validate = hasty.compile({ items: schema });
    expect(validate([value]).ok).toBe(true);
    expect(kindsOf(validate(Array.from({ length: 12 }, () => value)))).toEqual(["too-complex"]);
  });

  it("cannot name a type over and over", () => {
    const issues = untrusted.compile({ type: ["null", "null", "string", "null"] })(1);
    expect(issues).toMatchObject({ issues: [{ message: "expected null or string, got number 1" }] });
  });
});

describe("failures that are hard to find words for", () => {
  /** Unions within unions, whose 400 forms are all the same: each form is tried, and all that is wrong is put into words. */
  function unite(form: JsonSchema): JsonSchema {
    const anyOf = (name: string): JsonSchema => ({
      anyOf: Array.from({ length: 20 }, () => ({ $ref: `#/$defs/${name}` })),
    });
    return { ...(anyOf("union") as object), $defs: { union: anyOf("form"), form } };
  }

  const names = Array.from({ length: 400 }, (_, n) => n.toString(36).padEnd(38, "a"));
  const properties = Object.fromEntries(names.map((name) => [name, true]));
  const misspelt = Object.fromEntries(names.slice(0, 3).map((name) => [`${name}z`, 1]));
  const large = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [n, n]));
  const many = Array.from({ length: 5_000 }, (_, n) => n);

  it.each<[string, JsonSchema, unknown]>([
    ["many names that are nearly right", unite({ type: "object", properties, additionalProperties: false }), misspelt],
    ["large objects", unite({ not: { type: "object" } }), large],
    ["many values", unite({ items: { anyOf: [{ enum: many }, { const: -1 }] } }), Array.from({ length: 20 }, () => -2)],
    ["many properties that could tell forms apart", unite({ type: "object", properties, required: ["a"] }), {}],
  ])("take steps as well: %s", (_, schema, value) => {
    expect(kindsOf(hasty.compile(schema)(value))).toEqual(["too-complex"]);
  });

  it("write an allowed value once, however often it is asked for", () => {
    let written = 0;
    const allowed = { toJSON: () => ++written };
    expect(untrusted.compile(unite({ items: { const: allowed } }))([{}, {}]).ok).toBe(false);
    expect(written).toBe(1);
  });
});

describe("an innocent recursive schema, and a value made to blow it up", () => {
  const TREE = {
    anyOf: [
      { properties: { next: { $ref: "#" }, kind: { const: "a" } } },
      { properties: { next: { $ref: "#" }, kind: { const: "b" } } },
      { type: "null" },
    ],
  };

  it("stops at the budget", () => {
    let value: unknown = { kind: "neither" };
    for (let level = 0; level < 60; level++) value = { next: value, kind: "a" };
    const { compile } = createJsonSchemaValidator({ limits: { maxSteps: 100_000 } });
    expect(kindsOf(compile(TREE)(value))).toEqual(["too-complex"]);
  });

  it("works on values that are meant for it", () => {
    let value: unknown = null;
    for (let level = 0; level < 60; level++) value = { kind: "a", next: value };
    expect(trusted.compile(TREE)(value).ok).toBe(true);
  });
});

describe("depth", () => {
  function nest(depth: number): unknown {
    return JSON.parse("[".repeat(depth) + "]".repeat(depth));
  }

  it.each<[string, JsonSchema]>([
    ["recursive items", { items: { $ref: "#" } }],
    ["recursive anyOf", { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#" } }] }],
    ["uniqueItems", { uniqueItems: true }],
    ["nested uniqueItems", { items: { uniqueItems: true } }],
  ])("is bounded: %s", (_, schema) => {
    for (const { compile } of [trusted, untrusted]) {
      expect(compile(schema)(nest(100)).ok).toBe(true);
      expect(kindsOf(compile(schema)(nest(100_000)))).toEqual(["too-deep"]);
    }
  });

  it("checking by a schema that refers to itself in circles is bounded, too", () => {
    expect(kindsOf(trusted.compile({ $ref: "#" })(1))).toEqual(["too-deep"]);
    expect(kindsOf(trusted.compile({ allOf: [{ $ref: "#" }, { $ref: "#" }] })(1))).toEqual(["too-deep"]);
  });

  it("checking a value that contains itself is bounded, too", () => {
    const value: unknown[] = [];
    value.push(value);
    expect(kindsOf(trusted.compile({ items: { $ref: "#" } })(value))).toEqual(["too-deep"]);
  });

  it("beyond the reach of the schema does not matter", () => {
    expect(trusted.compile({ type: "array" })(nest(100_000)).ok).toBe(true);
    expect(kindsOf(trusted.compile({ const: [] })(nest(100_000)))).toEqual(["const"]);
  });
});

describe("many items", () => {
  const MANY = 100_000;

  it("are compared in linear time by uniqueItems", () => {
    const items = Array.from({ length: MANY }, (_, n) => ({ id: n }));
    expect(trusted.compile({ uniqueItems: true })(items).ok).toBe(true);
    expect(kindsOf(trusted.compile({ uniqueItems: true })([...items, { id: 7 }]))).toEqual(["unique"]);
  });

  it("are compared at the price of their names, too", () => {
    const validate = hasty.compile({ uniqueItems: true });
    expect(kindsOf(validate([{ ["a".repeat(60_000)]: 1 }, { ["b".repeat(60_000)]: 1 }]))).toEqual(["too-complex"]);
  });

  it("comparing an object of many properties with another is counted", () => {
    const value = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`p${n}`, n]));
    const validate = hasty.compile({ not: { anyOf: Array.from({ length: 60 }, () => ({ const: {} })) } });
    expect(kindsOf(validate(value))).toEqual(["too-complex"]);
  });

  it("a large array of wrong values does not list them all", () => {
    const schema = { items: { anyOf: [{ type: "object" }, { type: "null" }] } };
    const items = Array.from({ length: MANY }, (_, n) => n);
    expect(kindsOf(trusted.compile(schema)(items))).toHaveLength(20);
  });

  it("a large object of wrong values does not list them all", () => {
    const value = Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`p${n}`, n]));
    expect(kindsOf(untrusted.compile({ additionalProperties: false })(value))).toHaveLength(20);
  });
});

describe("names that every object inherits", () => {
  const parse = (json: string): unknown => JSON.parse(json) as unknown;

  it("are not there unless they are", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      const { compile } = trusted;
      expect(kindsOf(compile({ required: [name] })({}))).toEqual(["required"]);
      expect(compile({ required: [name] })(parse(`{"${name}": 1}`)).ok).toBe(true);
      const typed = parse(
        `{"properties": {"${name}": {"type": "string"}}, "additionalProperties": false}`,
      ) as JsonSchema;
      expect(compile(typed)({}).ok).toBe(true);
      expect(compile(typed)(parse(`{"${name}": "x"}`)).ok).toBe(true);
      expect(kindsOf(compile(typed)(parse(`{"${name}": 1}`)))).toEqual(["type"]);
      expect(kindsOf(compile({ additionalProperties: false })(parse(`{"${name}": 1}`)))).toEqual(["unknown-property"]);
    }
  });

  it("change nothing outside of the schema they stand in", () => {
    const schema = parse(
      '{"__proto__": {"polluted": true}, "$defs": {"__proto__": {"type": "string"}}, "default": {"__proto__": {"polluted": true}}}',
    );
    trusted.compile(schema as JsonSchema)(parse('{"__proto__": {"polluted": true}}'));
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("keywords that only one library knows", () => {
  it("cannot switch validation off", () => {
    expect(trusted.compile({ $async: true, type: "string" })(1).ok).toBe(false);
    expect(untrusted.compile({ $async: true, type: "string" })(1).ok).toBe(false);
  });
});
