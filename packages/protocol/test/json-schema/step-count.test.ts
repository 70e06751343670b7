import { describe, expect, it } from "vitest";
import { untrustedSchemaValidator } from "../../src/json-schema/untrusted.ts";
import type { Validation } from "../../src/schema/index.ts";

// What work is counted as steps, and at which price: hostile work has to stop at the budget, honest work must not.

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
