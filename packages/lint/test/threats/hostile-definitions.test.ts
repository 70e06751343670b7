/** Definitions of strangers: whatever they are, looking at them ends, changes nothing, and prints nothing that deceives. */
import type { JsonSchemaObject, Tool } from "@toolwire/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { describeFindings, lintTools, toPortable } from "../../src/index.ts";
import { GOOD, withInput } from "../tools.ts";

function nested(levels: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { type: "object", properties: { a: schema } };
  return schema;
}

test("hostile-definitions: a schema of 100 000 levels is found to be unreadable, without using up the stack", () => {
  const tool = withInput(nested(100_000));
  expect(lintTools([tool]).map(({ rule }) => rule)).toContain("schema-unreadable");
  expect(JSON.stringify(toPortable(tool.inputSchema).schema).length).toBeLessThan(10_000);
});

test("hostile-definitions: a schema of 100 000 properties is read as far as the limit", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, index) => [`p${index}`, { type: ["null"] }]),
  );
  const tool = withInput({ type: "object", properties });
  const findings = lintTools([tool]);
  expect(findings.map(({ rule }) => rule)).toContain("schema-unreadable");
  expect(findings.filter(({ rule }) => rule === "type-list")).toHaveLength(10);
  expect(toPortable(tool.inputSchema).changes.length).toBeLessThanOrEqual(100);
});

test("hostile-definitions: references that double with each step do not make a schema large", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      { type: "object", properties: { a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } } },
    ]),
  );
  const { schema } = toPortable({ type: "object", properties: { x: { $ref: "#/$defs/d0" } }, $defs });
  expect(JSON.stringify(schema).length).toBeLessThan(200_000);
});

test("hostile-definitions: `allOf` that refers to itself, many times, ends", () => {
  const $defs = {
    a: { allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }] },
    b: { allOf: Array.from({ length: 50 }, () => ({ $ref: "#/$defs/a" })) },
  };
  const { schema } = toPortable({ type: "object", properties: { x: { $ref: "#/$defs/a" } }, $defs });
  expect(JSON.stringify(schema).length).toBeLessThan(10_000);
});

test.each(["anyOf", "oneOf", "allOf", "items", "not"])(
  "hostile-definitions: 100 000 times %s in one another does not use up the stack",
  (keyword) => {
    const isList = keyword !== "items" && keyword !== "not";
    let schema: JsonSchemaObject = { type: "string" };
    for (let level = 0; level < 100_000; level++) schema = { [keyword]: isList ? [schema] : schema };
    for (const inputSchema of [schema, { type: "object", properties: { a: schema } }]) {
      expect(JSON.stringify(toPortable(inputSchema).schema).length).toBeLessThan(10_000);
      expect(lintTools([withInput(inputSchema)]).map(({ rule }) => rule)).toContain("schema-unreadable");
    }
  },
);

test("hostile-definitions: references in a circle end", () => {
  const $defs = { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } };
  const { schema } = toPortable({ type: "object", properties: { x: { $ref: "#/$defs/a" }, y: { $ref: "#" } }, $defs });
  expect(schema).toMatchObject({ type: "object", properties: { x: {}, y: {} } });
});

test("hostile-definitions: the names of prototypes are names like any other", () => {
  const text =
    '{"type":"object","properties":{"__proto__":{"type":["string","null"]},"constructor":{"type":"string"}},"required":["__proto__"]}';
  const inputSchema = JSON.parse(text) as Tool["inputSchema"];
  const { schema, restore } = toPortable(inputSchema);
  expect(Object.keys(schema["properties"] as object)).toEqual(["__proto__", "constructor"]);
  const args = JSON.parse('{"__proto__":{"polluted":1}}') as object;
  expect(Object.hasOwn(restore(args), "__proto__")).toBe(true);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(() => lintTools([{ ...GOOD, inputSchema }])).not.toThrow();
});

test("hostile-definitions: a renamed argument called like a prototype gets its name back as a member of its own", () => {
  const inputSchema = JSON.parse(
    '{"type":"object","properties":{"__proto__ ":{"type":"string"},"__proto___":{}}}',
  ) as Tool["inputSchema"];
  const { schema, restore } = toPortable(inputSchema);
  const [made = ""] = Object.keys(schema["properties"] as object);
  expect(Object.keys(restore({ [made]: "x" }))).toEqual(["__proto__ "]);
});

test("hostile-definitions: texts that patterns of instructions almost match take time in proportion to their length", () => {
  const description = "ignore do not before using ".repeat(40_000);
  expect(lintTools([{ ...GOOD, description }])).toBeDefined();
});

test("hostile-definitions: names and messages are printable and short", () => {
  const name = `a\u001b]0;owned\u0007\n[error] fake\u202e${"x".repeat(10_000)}`;
  const text = describeFindings(
    lintTools([{ ...GOOD, name, inputSchema: { type: "object", anyOf: [], [`x\u001b`]: 1 } }]),
  );
  // oxlint-disable-next-line no-control-regex -- that is what must not be there
  expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f\u202e]/);
  for (const line of text.split("\n")) {
    expect(line).toMatch(/^(?:error|warning|info) [a-z-]+/);
    expect(line.length).toBeLessThan(1_000);
  }
});

const anything = fc.anything({ withNullPrototype: true, withBigInt: true, maxDepth: 4 });
const keywords = fc.constantFrom(
  ..."type properties required items anyOf oneOf allOf $ref enum const format additionalProperties description not".split(
    " ",
  ),
);

test("hostile-definitions: no value in any place makes it throw", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(keywords, fc.string()), fc.oneof(anything, fc.dictionary(keywords, anything))),
      anything,
      anything,
      (inputSchema, description, annotations) => {
        const tool = { name: "t", description, annotations, inputSchema } as unknown as Tool;
        const before = structuredClone(Object.keys(inputSchema));
        describeFindings(lintTools([tool, { name: 4 } as never, 5 as never], { hosts: ["gemini", "openai-strict"] }));
        toPortable(inputSchema);
        expect(Object.keys(inputSchema)).toEqual(before);
      },
    ),
  );
});
