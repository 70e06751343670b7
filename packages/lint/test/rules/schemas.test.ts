import { expect, test } from "vitest";
import type { Host } from "../../src/index.ts";
import { lintTools } from "../../src/index.ts";
import { found, GOOD, withInput, withProperty } from "../tools.ts";

test("a tool that all hosts take has no findings", () => {
  expect(lintTools([GOOD])).toEqual([]);
});

test.each([
  ["no type at the root", withInput({ properties: {} }), "root-object", []],
  ["a list at the root", withInput({ type: "array", items: {} }), "root-object", []],
  [
    "a union at the root",
    withInput({ type: "object", properties: {}, anyOf: [{ required: ["a"] }] }),
    "root-union",
    ["anthropic", "openai", "gemini"],
  ],
  ["`not` at the root", withInput({ type: "object", properties: {}, not: {} }), "root-union", ["openai"]],
  ["no properties", withInput({ type: "object" }), "root-properties", ["openai"]],
  [
    "a name of an argument with brackets",
    withInput({ type: "object", properties: { "filter[x]": { type: "string" } } }),
    "argument-name",
    ["anthropic"],
  ],
  ["a list of types", withProperty({ type: ["string", "null"] }), "type-list", ["gemini"]],
  ["no type", withProperty({ description: "something" }), "type-missing", ["gemini"]],
  ["`true` as a schema", withProperty(true), "type-missing", ["gemini"]],
  ["numbers in an enumeration", withProperty({ type: "integer", enum: [1, 2] }), "enum-type", ["gemini"]],
  ["a list without items", withProperty({ type: "array" }), "array-items", ["openai", "gemini"]],
  ["the format uri", withProperty({ type: "string", format: "uri" }), "format", ["gemini"]],
  ["`const`", withProperty({ type: "string", const: "a" }), "keyword", ["gemini"]],
  ["`oneOf`", withProperty({ oneOf: [{ type: "string" }] }), "keyword", ["gemini"]],
  ["a reference to another document", withProperty({ $ref: "https://example.com/a.json" }), "reference-nowhere", []],
  ["a reference to nothing", withProperty({ $ref: "#/$defs/A" }), "reference-nowhere", []],
  [
    "a required property that is not there",
    withInput({ type: "object", properties: {}, required: ["a"] }),
    "required-unknown",
    [],
  ],
  [
    "a long enumeration",
    withProperty({ type: "string", enum: Array.from({ length: 101 }, (_, index) => `v${index}`) }),
    "enum-length",
    [],
  ],
  ["a schema of 17 KB", withProperty({ type: "string", description: "x".repeat(17_000) }), "schema-size", []],
] as const)("%s is found, with the hosts that refuse it", (_, tool, rule, hosts) => {
  const findings = found(rule, tool);
  expect(findings).toHaveLength(1);
  expect([...findings[0]!.hosts].toSorted()).toEqual([...hosts].toSorted());
  expect(findings[0]).toMatchObject({ kind: "tool", name: GOOD.name });
  expect(findings[0]!.path[0]).toBe("inputSchema");
});

test("a finding names the place of what it is about", () => {
  const tool = withInput({
    type: "object",
    properties: { list: { type: "array", items: { anyOf: [{ type: ["string", "null"] }] } } },
  });
  expect(found("type-list", tool)[0]!.path).toEqual(["inputSchema", "properties", "list", "items", "anyOf", 0, "type"]);
});

test("Gemini refuses references; of Anthropic, managed agents do, which is a warning", () => {
  const tool = withInput({
    type: "object",
    properties: { a: { $ref: "#/$defs/A" } },
    $defs: { A: { type: "string" } },
  });
  expect(found("reference", tool)).toMatchObject([
    { severity: "error", hosts: ["gemini"], path: ["inputSchema", "properties", "a", "$ref"] },
    { severity: "warning", hosts: ["anthropic"] },
  ]);
});

test("names of properties and values of enumerations are data, even if they look like keywords", () => {
  const tool = withInput({
    type: "object",
    properties: { oneOf: { type: "string" }, type: { type: "string", enum: ["anyOf"], default: "anyOf" } },
  });
  expect(lintTools([tool])).toEqual([]);
});

test("formats that both know, and those of numbers, are no finding", () => {
  expect(found("format", withProperty({ type: "string", format: "date-time" }))).toEqual([]);
  expect(found("format", withProperty({ type: "integer", format: "int64" }))).toEqual([]);
});

const STRICT: { readonly hosts: readonly Host[] } = { hosts: ["openai-strict"] };

test("strict mode is looked at only if it is asked for", () => {
  expect(found("strict-objects", GOOD)).toEqual([]);
  expect(found("strict-objects", GOOD, STRICT)).toHaveLength(1);
  const optional = withInput({ type: "object", properties: { a: { type: "string" } }, additionalProperties: false });
  expect(found("strict-objects", optional, STRICT)[0]!.message).toContain("required");
});

test("strict mode takes ten levels, 5000 properties and 1000 values of enumerations", () => {
  const nested = (levels: number): object =>
    levels === 0 ? { type: "string" } : { type: "object", properties: { a: nested(levels - 1) } };
  expect(found("schema-depth", withInput(nested(10)), STRICT)).toEqual([]);
  expect(found("schema-depth", withInput(nested(11)), STRICT)).toHaveLength(1);
  const values = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
  expect(found("schema-counts", withProperty({ type: "string", enum: values(1000) }), STRICT)).toEqual([]);
  expect(found("schema-counts", withProperty({ type: "string", enum: values(1001) }), STRICT)).toHaveLength(1);
});
