import { expect, test } from "vitest";
import { INVALID_SCHEMAS, OVERSIZED_SCHEMAS } from "../../../json-schema/test/read/invalid-schemas.ts";
import { createServer, tool } from "../../src/index.ts";

const refused = expect.objectContaining({ code: "INVALID_SCHEMA" });

function define(schema: unknown, side: "input" | "output"): void {
  const wrapped = { type: "object", properties: { value: schema } } as const;
  createServer({ name: "d", version: "1", tools: { a: tool({ [side]: wrapped, run: () => "" }) } });
}

test.each(INVALID_SCHEMAS)("%j, which the validator refuses, is refused at definition", (schema) => {
  expect(() => define(schema, "input")).toThrow(refused);
  expect(() => define(schema, "output")).toThrow(refused);
});

test.each(OVERSIZED_SCHEMAS)("a schema that exceeds the bounds on %s is refused at definition", (_what, schema) => {
  expect(() => define(schema, "input")).toThrow(refused);
  expect(() => define(schema, "output")).toThrow(refused);
});

test.each([
  ["the same schema, written out twice with its name", { anyOf: [{ $id: "https://x/y" }, { $id: "https://x/y" }] }],
  ["many values", { enum: Array.from({ length: 90_000 }, (_, index) => `${index}`) }],
  [
    "both forms of dependencies, of which draft-07 knows one",
    { dependencies: { a: {} }, dependentSchemas: { a: {} } },
    "http://json-schema.org/draft-07/schema#",
  ],
])("%s: is accepted, as the validator accepts it", (_what, schema, $schema?: string) => {
  const input = { ...($schema !== undefined && { $schema }), type: "object", properties: { value: schema } };
  const server = createServer({
    name: "d",
    version: "1",
    tools: { a: tool({ input: input as never, run: () => "" }) },
  });
  expect(server.tools.names).toEqual(["a"]);
});
