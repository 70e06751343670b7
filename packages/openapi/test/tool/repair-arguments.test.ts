import { describe, expect, it } from "vitest";
import { compileRepair } from "../../src/tool/repair-arguments.ts";

const SCHEMA = {
  type: "object",
  properties: {
    list: { type: "array" },
    object: { type: "object" },
    either: { type: ["array", "null"] },
    text: { type: "string" },
    open: {},
    union: { anyOf: [{ type: "object" }, { type: "array" }] },
    textOrList: { anyOf: [{ type: "string" }, { type: "array" }] },
    reference: { $ref: "#/$defs/Thing" },
    body: { type: "object", properties: { tags: { type: "array" }, name: { type: "string" } } },
    members: { properties: { a: {} } },
  },
  $defs: { Thing: { type: "object" } },
};

function repair(args: object): object {
  return compileRepair(SCHEMA)?.(args) ?? args;
}

describe("arguments that are JSON in a text", () => {
  it.each([
    [{ list: "[1]" }, { list: [1] }],
    [{ object: ' {"a":1}' }, { object: { a: 1 } }],
    [{ either: "[]" }, { either: [] }],
    [{ union: "[1]" }, { union: [1] }],
    [{ reference: '{"a":1}' }, { reference: { a: 1 } }],
    [{ members: '{"a":1}' }, { members: { a: 1 } }],
    [{ body: '{"tags":["x"]}' }, { body: { tags: ["x"] } }],
    [{ body: { tags: '["x"]', name: "[y]" } }, { body: { tags: ["x"], name: "[y]" } }],
  ])("are parsed where the schema wants it: %j", (given, wanted) => {
    expect(repair(given)).toEqual(wanted);
  });

  it.each([
    { list: '{"a":1}' },
    { object: "[1]" },
    { list: "[1" },
    { list: "1" },
    { list: '"[1]"' },
    { text: "[1]" },
    { open: "[1]" },
    { textOrList: "[1]" },
    { unknown: "[1]" },
    { list: [1] },
    {},
  ])("are left alone otherwise, and nothing is copied: %j", (given) => {
    expect(repair(given)).toBe(given);
  });

  it("are parsed once: a text in a parsed value stays a text", () => {
    expect(repair({ list: '["[1]"]' })).toEqual({ list: ["[1]"] });
  });

  it("do not change the object that was given", () => {
    const given = { list: "[1]", text: "x" };
    repair(given);
    expect(given).toEqual({ list: "[1]", text: "x" });
  });

  it("are not looked for if the schema takes no list and no object", () => {
    expect(compileRepair({ type: "object", properties: { a: { type: "string" } } })).toBeUndefined();
    expect(compileRepair(undefined)).toBeUndefined();
    expect(compileRepair({ properties: { a: { $ref: "#/nowhere" } } })).toBeUndefined();
  });

  it("ignore names of prototypes", () => {
    const named = compileRepair(
      JSON.parse('{"properties":{"__proto__":{"type":"array"},"constructor":{"type":"array"}}}'),
    );
    expect(named?.({})).toEqual({});
    const given = JSON.parse('{"__proto__":"[1]","constructor":"[2]"}') as object;
    expect(JSON.stringify(named?.(given))).toBe('{"__proto__":[1],"constructor":[2]}');
  });
});
