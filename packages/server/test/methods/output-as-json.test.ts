import { toStandardJsonSchema } from "@valibot/to-json-schema";
import type { AnySchema, JsonSchema } from "@toolwire/protocol";
import { jsonSchemaValidator } from "@toolwire/json-schema";
import { type } from "arktype";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, reply, tool, type ServerDiagnostic } from "../../src/index.ts";
import { ModernClient, type Json } from "../wire-client.ts";

/** A server whose one tool returns whatever it is told to, and its client. */
function serveOutputs() {
  const diagnostics: ServerDiagnostic[] = [];
  const server = createServer({ name: "o", version: "1", tools: {}, onDiagnostic: (event) => diagnostics.push(event) });
  const client = new ModernClient(server);
  return {
    diagnostics,
    /** Calls a tool with this `output` that returns this value; gives what is listed, and what arrives. */
    async call(output: AnySchema, value: unknown): Promise<{ listed: JsonSchema; result: Json }> {
      server.tools.add("t", tool({ output, run: () => value as never }));
      try {
        const { tools } = await client.request("tools/list");
        return { listed: tools[0].outputSchema, result: await client.callTool("t") };
      } finally {
        server.tools.remove("t");
      }
    },
  };
}

const name = fc.constantFrom("a", "b", "c");

/** Values that handlers return, and that JSON changes, among those that it does not. */
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthIdentifier: "value" },
    fc.constantFrom<unknown>(0, 1, -0, "a", "", true, null, undefined, Number.NaN, Infinity, 1n, Symbol("s"), () => 1),
    fc
      .constantFrom<() => unknown>(
        () => new Date(0),
        () => new Date(Number.NaN),
        () => new Map([["a", 1]]),
        () => new Set([1]),
        () => Object(1) as object,
        () => new URL("https://example.com"),
        () => new Uint8Array(2),
        () => Object.create({ a: 1 }) as object,
      )
      .map((make) => make()),
    tie("any").map((written) => ({ a: 1, toJSON: () => written })),
    tie("any").map(
      (inherited) =>
        new (class {
          get a(): unknown {
            return inherited;
          }
        })(),
    ),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.array(tie("any"), { maxLength: 3 }).map((items) => Object.assign(Array.from({ length: 4 }), items)),
    fc.dictionary(name, tie("any"), { maxKeys: 3 }),
  ),
})).any;

const count = fc.integer({ min: 0, max: 3 });

/** Plain JSON Schema, mostly of the kind that such values can break. */
const plain = fc.letrec<{ schema: Exclude<JsonSchema, boolean> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: "plain" },
    fc.record({ type: fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object") }),
    fc.record(
      { minimum: count, minLength: count, minItems: count, maxItems: count, uniqueItems: fc.boolean() },
      { requiredKeys: [] },
    ),
    fc.record(
      { minProperties: count, maxProperties: count, required: fc.uniqueArray(name, { maxLength: 2 }) },
      { requiredKeys: [] },
    ),
    fc.record({ enum: fc.constantFrom([0, "a"], [null, {}], [[], { a: 1 }]) }),
    fc.record({ items: tie("schema") }),
    fc.record({ properties: fc.dictionary(name, tie("schema"), { maxKeys: 3, noNullPrototype: true }) }),
    fc.record({ additionalProperties: fc.oneof(fc.boolean(), tie("schema")) }),
    fc.record({ not: tie("schema") }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
  ),
})).schema;

/** Schemas of a library, mostly those that let things pass which JSON cannot hold. */
const library = fc.letrec<{ schema: z.ZodType }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: "library" },
    fc.constantFrom<z.ZodType>(
      z.any(),
      z.unknown(),
      z.number(),
      z.string().optional(),
      z.null(),
      z.boolean(),
      z.literal("a"),
      z.json(),
      z.any().pipe(z.number().catch(Infinity)),
      z
        .any()
        .transform(() => undefined)
        .pipe(z.any()),
    ),
    fc.array(tie("schema"), { minLength: 1, maxLength: 2 }).map((options) => z.union(options as [z.ZodType])),
    tie("schema").map((item) => z.array(item)),
    tie("schema").map((member) => z.record(z.string(), member)),
    fc.dictionary(name, tie("schema"), { maxKeys: 3 }).map((shape) => z.object(shape)),
    fc.dictionary(name, tie("schema"), { maxKeys: 3 }).map((shape) => z.looseObject(shape)),
  ),
})).schema;

describe("structured content that arrives fits the schema that the tool lists, or it is an error", () => {
  test.each([
    ["plain JSON Schema", plain],
    ["a library's schema", library],
  ])("whatever the handler returns: %s", async (_kind, schemas: fc.Arbitrary<AnySchema>) => {
    const { call } = serveOutputs();
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(schemas, value, async (output, returned) => {
        const { listed, result } = await call(output, returned);
        if (result.isError === true) {
          expect(result).not.toHaveProperty("structuredContent");
          return;
        }
        sent += 1;
        expect(jsonSchemaValidator.compile(listed)(result.structuredContent)).toMatchObject({ ok: true });
        expect(JSON.parse(result.content[0].text)).toStrictEqual(result.structuredContent);
      }),
      { numRuns: 400 },
    );
    expect(sent).toBeGreaterThan(20);
  });

  const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
  const cases: [string, AnySchema, unknown][] = [
    [
      "an infinity, though valibot takes it for a number",
      toStandardJsonSchema(v.object({ n: v.number() })),
      { n: 1 / 0 },
    ],
    ["an infinity, though arktype takes it for a number", type({ n: "number" }), { n: 1 / 0 }],
    ["a field that is undefined, though zod takes that for anything", z.object({ n: z.any() }), { n: undefined }],
    ["a member of a class, which JSON leaves out", number, Object.create({ n: 1 })],
    ["an object that writes itself as something else", number, { n: 1, toJSON: () => "one" }],
    ["a Map", { type: "object", minProperties: 1 }, new Map([["n", 1]])],
    ["a hole in a list", { type: "array", items: { not: { type: "null" } } }, Array.from({ length: 1 })],
    ["nothing at all", {}, undefined],
    ["a function", {}, () => 1],
  ];
  test.each(cases)("%s is not sent, and reported to the author", async (_what, output, returned) => {
    const { call, diagnostics } = serveOutputs();
    for (const given of [returned, reply({ content: "Here it is", structured: returned })]) {
      const { result } = await call(output, given);
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("internal error") }] });
      expect(result).not.toHaveProperty("structuredContent");
      expect(diagnostics.splice(0)).toMatchObject([{ error: { message: expect.stringMatching(/JSON|output/) } }]);
    }
  });

  test.each<[string, AnySchema, unknown, unknown]>([
    ["a date where anything goes", z.object({ at: z.any() }), { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["an optional field that is undefined", z.object({ a: z.string().optional() }), { a: undefined }, {}],
    [
      "a field that is undefined, next to one whose format the library sees in another way",
      toStandardJsonSchema(v.object({ a: v.optional(v.string()), day: v.pipe(v.string(), v.isoDate()) })),
      { a: undefined, day: "2026-02-31" },
      { day: "2026-02-31" },
    ],
    [
      "a field that is undefined, where only the library understands what is listed",
      z.object({ a: z.string().optional(), b: z.string() }).meta({ pattern: "(" }),
      { a: undefined, b: "b" },
      { b: "b" },
    ],
    [
      "an instance of a class",
      { type: "object", required: ["x"] },
      new (class Point {
        x = 1;
      })(),
      { x: 1 },
    ],
  ])("%s is sent as JSON writes it", async (_what, output, returned, expected) => {
    const { call, diagnostics } = serveOutputs();
    const { result } = await call(output, returned);
    expect(result.structuredContent).toStrictEqual(expected);
    expect(JSON.parse(result.content[0].text)).toStrictEqual(expected);
    expect(diagnostics).toStrictEqual([]);
  });
});

test.each([
  [
    "where no schemas are expected",
    { properties: { day: { $ref: "#/components/day" } }, components: { day: { format: "date" } } },
  ],
  [
    "beyond another reference",
    { $ref: "#/a/b", a: { b: { properties: { day: { $ref: "#/a/c" } } }, c: { type: "string", format: "date" } } },
  ],
  [
    "in a part with a name of its own",
    {
      properties: { day: { $ref: "https://example.com/x" } },
      $defs: { x: { $id: "https://example.com/x", $ref: "#/parts/day", parts: { day: { format: "date" } } } },
    },
  ],
  [
    "by a dynamic reference, and in a circle",
    {
      properties: { day: { $dynamicRef: "#/components/day" } },
      components: { day: { format: "date", properties: { next: { $ref: "#/components/day" } } } },
    },
  ],
])("formats are left to the library in what references lead to: %s", async (_where, listed) => {
  const { call } = serveOutputs();
  const schema = { type: "object", ...listed };
  const output = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (given: unknown) => ({ value: given }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
  const { result } = await call(output as never, {
    day: "the first of May",
    gone: undefined,
  });
  expect(result).toMatchObject({ structuredContent: { day: "the first of May" } });
});
