import { describe, expect, it } from "vitest";
import { checkNode } from "../../src/check/validator.ts";
import { Run } from "../../src/check/run.ts";
import { findEvaluatedProperties } from "../../src/check/unevaluated.ts";
import {
  createJsonSchemaValidator,
  type JsonSchema,
  untrustedSchemaValidator,
  type Validation,
} from "../../src/index.ts";
import { SchemaNode } from "../../src/read/schema-node.ts";
import { StepBudget } from "../../src/patterns/step-budget.ts";

// Tests which work is counted as steps, and at which price: hostile work has to stop at the budget, honest work must not.

const hasty = createJsonSchemaValidator({ untrusted: true, assertFormats: true, limits: { maxSteps: 100_000 } });

function kindsOf(result: Validation): string[] {
  return result.ok ? [] : result.issues.map(({ kind }) => kind);
}

describe("thousands of records with some of thousands of properties", () => {
  const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`p${n}`, { type: "integer" }]));
  const records = Array.from({ length: 10_000 }, (_, n) =>
    Object.fromEntries(Array.from({ length: 10 }, (_unused, m) => [`p${(n + m * 13) % 2_000}`, n])),
  );

  it.each([
    ["properties alone", {}],
    ["additionalProperties", { additionalProperties: false }],
    ["unevaluatedProperties", { unevaluatedProperties: false }],
  ])("are within the budget of an untrusted schema, with %s", (_, keywords) => {
    const validate = untrustedSchemaValidator.compile({ items: { properties, ...keywords } });
    expect(kindsOf(validate(records))).toEqual([]);
    expect(kindsOf(validate([...records, { p1: "one" }]))).toEqual(["type"]);
  });
});

/** A schema that asks the same a thousand times. */
function askOften(leaf: JsonSchema): JsonSchema {
  const refer = (name: string): JsonSchema => ({
    allOf: Array.from({ length: 32 }, () => ({ $ref: `#/$defs/${name}` })),
  });
  return { $ref: "#/$defs/often", $defs: { often: refer("less"), less: refer("leaf"), leaf } };
}

/** The same text each time, but another string, as it comes from somewhere else. */
function writeLong(end = ""): string {
  return "x".repeat(100_000) + end;
}

describe("long strings", () => {
  it.each<[string, JsonSchema, unknown]>([
    ["const", { const: writeLong() }, writeLong()],
    ["enum", { not: { enum: [writeLong("a"), writeLong("b")] } }, writeLong("c")],
    ["a const in an object", { const: { a: writeLong() } }, { a: writeLong() }],
  ])("are compared at the price of their length: %s", (_, leaf, value) => {
    expect(kindsOf(hasty.compile(leaf)(value))).toEqual([]);
    expect(kindsOf(hasty.compile(askOften(leaf))(value))).toEqual(["too-complex"]);
  });

  it("are not looked at any further where they are evidently too long", () => {
    const validate = hasty.compile({ maxLength: 10, pattern: "^(?:a|b)*$", format: "uri" });
    expect(kindsOf(validate("a".repeat(50_000)))).toEqual(["length"]);
    expect(kindsOf(validate("x y".repeat(5)))).toEqual(["length", "pattern", "format"]);
  });

  it("tell forms apart like short ones", () => {
    const form = (kind: string): JsonSchema => ({ properties: { kind: { const: kind }, n: { type: "integer" } } });
    const validate = hasty.compile({ anyOf: [form(writeLong("a")), form(writeLong("b"))] });
    expect(validate({ kind: writeLong("b"), n: "one" })).toMatchObject({ issues: [{ path: "n", kind: "type" }] });
  });
});

describe("objects of more than a thousand properties", () => {
  const allowed = { enum: Array.from({ length: 10 }, (_, n) => ({ n })) };
  const makeObject = (size: number): unknown =>
    Object.fromEntries(Array.from({ length: size }, (_, n) => [`p${n}`, n]));

  it("are compared at the price that listing their names has, which is higher than that of smaller ones", () => {
    expect(kindsOf(hasty.compile(allowed)(makeObject(900)))).toEqual(["enum"]);
    expect(kindsOf(hasty.compile(allowed)(makeObject(1_800)))).toEqual(["too-complex"]);
  });
});

describe("thousands of forms that refer to one long list of values", () => {
  const list = { enum: Array.from({ length: 3_000 }, (_, n) => n) };

  it.each<[string, JsonSchema, unknown]>([
    ["values", list, "x"],
    ["properties", { properties: { kind: list } }, { kind: "x" }],
  ])("do not become one of millions: %s", (_, form, value) => {
    const anyOf = Array.from({ length: 1_000 }, () => ({ $ref: "#/$defs/form" }));
    expect(kindsOf(hasty.compile({ anyOf, $defs: { form } })(value))).toEqual(["too-complex"]);
  });
});

describe("words for the same failure, over and over", () => {
  const { compile } = createJsonSchemaValidator({ untrusted: true, limits: { maxSteps: 20_000 } });
  const unite = (form: JsonSchema): JsonSchema => ({ anyOf: Array.from({ length: 5 }, () => form) });

  it.each<[string, JsonSchema, string]>([
    ["a message", { type: "string" }, "type"],
    ["what was not expected", { not: unite(unite(unite({ enum: [1, 2, 3] }))) }, "not"],
  ])("take steps, so that they end: %s", (_, leaf, kind) => {
    const { $ref, $defs } = askOften(leaf) as Record<string, unknown>;
    const validate = compile({ allOf: [{ $ref }, { minimum: 5 }], $defs } as JsonSchema);
    expect(kindsOf(validate(1))).toEqual([kind]);
    expect(kindsOf(compile({ allOf: [leaf, { minimum: 5 }] })(1))).toEqual([kind, "minimum"]);
  });

  it("cut names that are long", () => {
    const properties = { [writeLong("a")]: true, [writeLong("b")]: true };
    const result = compile({ properties, additionalProperties: false, dependentRequired: { [writeLong()]: ["a"] } })({
      [writeLong()]: 1,
    });
    const lengths = result.ok ? [] : result.issues.map(({ message }) => message.length);
    expect(lengths.map((length) => length < 300)).toEqual([true, true]);
  });
});

describe("classes of Unicode in patterns", () => {
  it("count for what it takes to read them", () => {
    const some = Array.from({ length: 200 }, (_, n) => ({ pattern: `^[\\p{L}\\p{N}${n}]+$` }));
    expect(() => untrustedSchemaValidator.compile({ anyOf: some })).not.toThrow();
    const many = Array.from({ length: 10 }, (_, n) => ({ pattern: `${"\\p{L}".repeat(900)}${n}` }));
    expect(() => untrustedSchemaValidator.compile({ anyOf: many })).toThrow("too many large patterns");
  });
});

describe("uniqueItems", () => {
  it("counts that every level copies what is below it", () => {
    let deep: unknown = "x".repeat(20_000);
    for (let depth = 0; depth < 900; depth++) deep = [0, deep];
    expect(kindsOf(hasty.compile({ uniqueItems: true })([deep]))).toEqual(["too-complex"]);
    expect(kindsOf(untrustedSchemaValidator.compile({ uniqueItems: true })([deep]))).toEqual([]);
  });

  it("counts that long items are compared with each other", () => {
    const items = Array.from({ length: 120 }, (_, n) => [...Array<number>(500).fill(1e20), n]);
    expect(kindsOf(hasty.compile({ uniqueItems: true })(items))).toEqual(["too-complex"]);
    expect(kindsOf(untrustedSchemaValidator.compile({ uniqueItems: true })(items))).toEqual([]);
  });
});

describe("a pattern that can end in many places", () => {
  it("counts for the tries that a long text takes", () => {
    const schema = { items: { not: { pattern: "^[ab]{0,900}[ab]{900}c" } } };
    expect(kindsOf(hasty.compile(schema)(Array.from({ length: 50 }, () => "a".repeat(1_800))))).toEqual([
      "too-complex",
    ]);
    expect(kindsOf(hasty.compile(schema)(Array.from({ length: 1_500 }, () => "a".repeat(60))))).toEqual([]);
  });
});

describe("a union of many forms next to unevaluatedProperties", () => {
  it("is read no further than needed", () => {
    let read = 0;
    const all = Object.assign(new SchemaNode(), { additionalProperties: new SchemaNode() });
    const anyOf = new Proxy(Array<SchemaNode>(1_000).fill(all), {
      get(forms, key, receiver) {
        read++;
        return Reflect.get(forms, key, receiver) as unknown;
      },
    });
    const run = new Run(checkNode, new StepBudget(100));
    const evaluated = findEvaluatedProperties(Object.assign(new SchemaNode(), { anyOf }), { a: 1 }, ["a"], run);
    expect(evaluated.has("a")).toBe(true);
    expect(read).toBeLessThan(10);
  });
});
