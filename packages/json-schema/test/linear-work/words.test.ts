import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { findExcess } from "../../../../test/linear-growth.ts";
import {
  type AnySchema,
  describeIssues,
  describeSchema,
  jsonSchemaValidator,
  type Validation,
} from "../../src/index.ts";
import { list, record } from "../../../../test/large-values.ts";

describe("the time to find words for what a library rejects", () => {
  it.each<[string, AnySchema, (size: number) => unknown]>([
    ["items, zod", z.array(z.number()), (size) => list(size, () => "a")],
    ["items, valibot", toStandardJsonSchema(v.array(v.number())), (size) => list(size, () => "a")],
    ["unknown properties, zod", z.strictObject({ a: z.number() }), (size) => record(size, "p", () => 1)],
    ["records, zod", z.array(z.object({ a: z.string(), b: z.number() })), (size) => list(size, (n) => ({ a: n }))],
    ["a text, zod", z.email().max(5), (size) => "a".repeat(size)],
  ])("is in proportion to the value: %s", (_, schema, make) => {
    const { validate } = describeSchema(schema, "input", jsonSchemaValidator);
    const explain = (value: unknown): string => {
      const checked = validate(value) as Validation;
      return checked.ok ? "" : describeIssues(checked.issues);
    };
    expect(explain(make(1_000))).not.toBe("");
    expect(findExcess(make, (value) => void explain(value), 32_768)).toBeUndefined();
  });
});
