import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeArguments } from "../../src/search/signature.ts";

describe("the arguments of a tool in one line", () => {
  it.each([
    ["no schema", undefined, "{}"],
    ["no arguments", { type: "object" }, "{}"],
    [
      "required ones first",
      {
        type: "object",
        properties: { labels: { type: "array", items: { type: "string" } }, title: { type: "string" } },
        required: ["title"],
      },
      "{ title: string, labels?: string[] }",
    ],
    [
      "values and choices",
      {
        type: "object",
        properties: {
          state: { enum: ["open", "closed"] },
          size: { type: ["integer", "null"] },
          to: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
        },
      },
      '{ state?: "open" | "closed", size?: number | null, to?: string | string[] }',
    ],
    [
      "objects inside",
      {
        type: "object",
        properties: { at: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
      },
      "{ at?: { x: number } }",
    ],
    ["names that are no words", { type: "object", properties: { "filter[name]": {} } }, '{ "filter[name]"?: any }'],
    [
      "references to definitions of the schema",
      { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "boolean" } } },
      "{ a?: boolean }",
    ],
    ["references to nothing", { type: "object", properties: { a: { $ref: "#/$defs/__proto__" } } }, "{ a?: any }"],
  ])("has %s", (_, schema, line) => {
    expect(writeArguments(schema)).toBe(line);
  });

  it("leaves out what is optional if there is too much, and says so by an ellipsis", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`argument_${index}`, { type: "string" }]),
    );
    const line = writeArguments({ type: "object", properties, required: ["argument_499"] });
    expect(line).toMatch(/^\{ argument_499: string, .*, … \}$/);
    expect(line.length).toBeLessThan(700);
  });

  it("ends for schemas that contain themselves, and for values and names of any length", () => {
    const recursive = {
      type: "object",
      properties: { child: { $ref: "#" }, list: { type: "array", items: { $ref: "#/properties/list" } } },
      required: ["child", "list"],
    };
    expect(writeArguments(recursive).length).toBeLessThan(2_000);
    const loops = {
      type: "object",
      properties: { a: { anyOf: [{ $ref: "#/properties/a" }, { $ref: "#/properties/a" }] } },
    };
    expect(writeArguments(loops)).toContain("any");
    const long = "x".repeat(100_000);
    expect(
      writeArguments({ type: "object", properties: { [long]: { const: long } }, required: [long] }).length,
    ).toBeLessThan(2_000);
  });

  it("is a line of bounded length for whatever a server sends as a schema", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue({ maxDepth: 4 }), (properties, required) => {
        const line = writeArguments({ type: "object", properties, required } as never);
        expect(line.length).toBeLessThan(2_000);
      }),
    );
  });
});
