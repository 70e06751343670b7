import { describe, expect, test } from "vitest";
import { z } from "zod";
import { echoTool, listTools, nameTools, searchInputSchema, sumTool } from "../../src/workload/tools.ts";
import { echoInput, searchInput, sumInput, sumOutput } from "../../src/workload/zod-schemas.ts";

describe("the tools in zod are the tools in JSON Schema", () => {
  test.each([
    ["echo input", echoInput, echoTool.inputSchema],
    ["sum input", sumInput, sumTool.inputSchema],
    ["sum output", sumOutput, sumTool.outputSchema],
    ["search input", searchInput, searchInputSchema],
  ])("%s", (_, schema, expected) => {
    const { type, properties, required } = z.toJSONSchema(schema);
    expect({ type, properties, required }).toEqual(expected);
  });
});

test("there are as many tools as asked for, with names of their own", () => {
  expect(nameTools(1)).toEqual(["echo"]);
  expect(new Set(nameTools(1000)).size).toBe(1000);
  expect(listTools(100).map(({ name }) => name)).toEqual(nameTools(100));
});
