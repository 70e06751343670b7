import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createJsonSchemaValidator, type JsonSchema } from "../../src/index.ts";

const { compile } = createJsonSchemaValidator();

function accepts(schema: JsonSchema, value: unknown): boolean {
  return compile(schema)(value).ok;
}

describe("references within the document", () => {
  it.each<[string, JsonSchema]>([
    ["a JSON pointer", { $ref: "#/$defs/s", $defs: { s: { type: "string" } } }],
    ["a pointer with escapes", { $ref: "#/$defs/a~1b~0c%25", $defs: { "a/b~c%": { type: "string" } } }],
    ["a pointer into a list", { allOf: [{ type: "string" }, { $ref: "#/allOf/0" }] }],
    [
      "a pointer to where no schema stands by itself",
      { $ref: "#/components/x/y", components: { x: { y: { type: "string" } } } },
    ],
    ["an anchor", { $ref: "#here", $defs: { s: { $anchor: "here", type: "string" } } }],
    [
      "an embedded resource",
      { $ref: "https://example.org/s", $defs: { s: { $id: "https://example.org/s", type: "string" } } },
    ],
    [
      "a relative id",
      {
        $id: "https://example.org/root",
        $ref: "s#x",
        $defs: { s: { $id: "s", $defs: { x: { $anchor: "x", type: "string" } } } },
      },
    ],
    [
      "an absolute pointer to itself",
      { $id: "https://example.org/root", $ref: "https://example.org/root#/$defs/s", $defs: { s: { type: "string" } } },
    ],
    ["a name instead of a location", { $id: "urn:example:root", $ref: "#/$defs/s", $defs: { s: { type: "string" } } }],
    [
      "a chain",
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/c" }, c: { type: "string" } } },
    ],
  ])("lead to their target: %s", (_, schema) => {
    expect(accepts(schema, "x")).toBe(true);
    expect(accepts(schema, 1)).toBe(false);
  });

  it("may find the same schema under one name several times, as generators write it", () => {
    const schema = {
      properties: { a: { $id: "id", type: "string" }, b: { $id: "id", type: "string" }, c: { $ref: "id" } },
    };
    expect(accepts(schema, { a: "x", b: "y", c: "z" })).toBe(true);
    expect(accepts(schema, { b: 1 })).toBe(false);
    expect(accepts(schema, { c: 1 })).toBe(false);
  });

  it("may find named schemas within each other several times, and compares them once", () => {
    const nest = (level: number): object =>
      level === 0 ? { $id: "s0", type: "string" } : { $id: `s${level}`, $anchor: "a", items: nest(level - 1) };
    const schema = { properties: { a: nest(30), b: nest(30), c: { $ref: "s1#a" } } };
    const written = vi.spyOn(JSON, "stringify");
    onTestFinished(() => written.mockRestore());
    compile(schema);
    expect(written.mock.calls.filter(([value]) => typeof value === "object")).toHaveLength(2);
    expect(accepts(schema, { c: ["x"] })).toBe(true);
    expect(accepts(schema, { c: [1] })).toBe(false);
  });

  it("may be recursive", () => {
    const schema = {
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#" } } },
      additionalProperties: false,
    };
    expect(accepts(schema, { children: [{ children: [{}] }] })).toBe(true);
    expect(accepts(schema, { children: [{ children: [{ child: 1 }] }] })).toBe(false);
  });

  it("may form a chain as long as the bounds allow", () => {
    const $defs = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`d${n}`, { $ref: `#/$defs/d${n + 1}` }]));
    expect(() => compile({ $ref: "#/$defs/d0", $defs: { ...$defs, d5000: true } })).not.toThrow();
  });

  it("are not looked for where values stand", () => {
    expect(accepts({ const: { $ref: "#/nowhere" } }, { $ref: "#/nowhere" })).toBe(true);
    expect(accepts({ properties: { $ref: { type: "string" } } }, { $ref: 1 })).toBe(false);
    expect(() => compile({ default: { $ref: "https://example.org/x" }, examples: [{ $id: 3 }] })).not.toThrow();
  });
});

describe("references that lead elsewhere", () => {
  it.each([
    ["https://example.org/schema.json", "leads outside of this document"],
    ["http://169.254.169.254/latest/meta-data", "leads outside of this document"],
    ["file:///etc/passwd", "leads outside of this document"],
    ["other.json#/x", "leads outside of this document"],
    ["http://[", "leads outside of this document"],
    ["#/$defs/missing", "leads nowhere in this document"],
    ["#missing", "leads nowhere in this document"],
    ["#/__proto__", "leads nowhere in this document"],
    ["#/constructor/prototype", "leads nowhere in this document"],
    ["#/%E0%A4%A", "leads nowhere in this document"],
    ["#/type", "leads nowhere in this document"],
  ])("are refused, never fetched: %s", ($ref, reason) => {
    const schema = { type: "object", properties: { a: { $ref } } };
    expect(() => compile(schema)).toThrow(expect.objectContaining({ code: "INVALID_SCHEMA" }));
    expect(() => compile(schema)).toThrow(`at properties.a.$ref: ${JSON.stringify($ref)} ${reason}`);
  });
});

describe("documents", () => {
  it("do not know of each other, whatever they call themselves", () => {
    const $id = "https://example.org/shared";
    const one = compile({ $id, $defs: { x: { $id: "x", type: "string" } }, $ref: "x" });
    const other = compile({ $id, $defs: { x: { $id: "x", type: "number" } }, $ref: "x" });
    expect([one("a").ok, one(1).ok, other("a").ok, other(1).ok]).toEqual([true, false, false, true]);
    expect(() => compile({ $ref: $id })).toThrow("leads outside");
  });

  it("cannot have names so long that resolving each reference against them takes long", () => {
    const $id = "https://example.org/a/";
    const inner = (length: number): JsonSchema => ({ $id, $defs: { inner: { $id: "b".repeat(length - $id.length) } } });
    expect(() => compile(inner(1_000))).not.toThrow();
    expect(() => compile(inner(1_001))).toThrow("at $defs.inner.$id: longer than 1000 characters");
    expect(() => compile({ $id: `https://example.org/${"a".repeat(1_000)}` })).toThrow("at $id: longer than");
  });

  it("cannot use one name twice", () => {
    const $id = "https://example.org/x";
    expect(() => compile({ $defs: { a: { $id }, b: { $id, type: "null" } } })).toThrow("is taken");
    expect(() => compile({ $defs: { a: { $anchor: "x" }, b: { $anchor: "x", type: "null" } } })).toThrow("is taken");
  });

  it("are read once per object", () => {
    const schema = { type: "string" };
    expect(compile(schema)).toBe(compile(schema));
    expect(compile(schema)).not.toBe(compile({ ...schema }));
  });
});
