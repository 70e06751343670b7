import { toStandardJsonSchema } from "@valibot/to-json-schema";
import type { AnySchema, SchemaValidator } from "@toolwire/protocol";
import { type } from "arktype";
import { inspect } from "node:util";
import * as v from "valibot";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createServer, prompt, resource, tool, type Server, type ServerOptions } from "../../src/index.ts";
import { ModernClient } from "../wire-client.ts";

const define = (options: Partial<ServerOptions>): Server => createServer({ name: "d", version: "1", ...options });
const run = (): string => "";
const failure = (code: string, ...words: string[]): object =>
  expect.objectContaining({ code, message: expect.stringMatching(new RegExp(words.join(".*"), "s")) });

describe("names", () => {
  test.each(["getUser", "DATA_EXPORT_v2", "admin.tools.list", "a", "x".repeat(128), "-", "constructor"])(
    "%s can be used",
    (name) => {
      const server = define({ tools: { [name]: tool({ run }) } });
      expect(server.tools.names).toStrictEqual([name]);
    },
  );

  test.each(["", "a b", "a,b", "ä", "a/b", "x".repeat(129), "a\n", "🦊"])(
    "%j is refused, and the message says what to do",
    (name) => {
      for (const kind of ["tool", "resource", "prompt"]) {
        const options = {
          tool: { tools: { [name]: tool({ run }) } },
          resource: { resources: { [name]: resource({ uri: "a://b", read: run }) } },
          prompt: { prompts: { [name]: prompt({ get: run }) } },
        }[kind];
        expect(() => define(options ?? {})).toThrow(failure("INVALID_DEFINITION", kind, "1 to 128", "title"));
      }
    },
  );

  test("are unique: adding one twice is refused, until the first is removed", () => {
    const server = define({ tools: { a: tool({ run }) } });
    expect(() => server.tools.add("a", tool({ run }))).toThrow(failure("DUPLICATE_NAME", '"a"', "remove it"));
    expect(server.tools.remove("a")).toBe(true);
    expect(server.tools.remove("a")).toBe(false);
    server.tools.add("a", tool({ run }));
    expect(server.tools.has("a")).toBe(true);
  });

  test("a definition that is refused leaves nothing behind", () => {
    const server = define({ tools: {} });
    expect(() => server.tools.add("a", tool({ input: z.string(), run }))).toThrow(failure("INVALID_SCHEMA"));
    expect(server.tools.has("a")).toBe(false);
  });
});

describe("servers", () => {
  test.each([{ name: "" }, { version: "" }, { name: undefined as never }])(
    "need a name and a version: %j",
    (options) => {
      expect(() => define(options)).toThrow(failure("INVALID_DEFINITION", Object.keys(options)[0] as string));
    },
  );

  test.each([0, -1, 1.5, Number.NaN])("a page of %d items is refused", (pageSize) => {
    expect(() => define({ pageSize })).toThrow(failure("INVALID_ARGUMENT", "pageSize"));
  });

  test("unknown or no revisions are refused", () => {
    expect(() => define({ revisions: [] })).toThrow(failure("INVALID_ARGUMENT", "revisions"));
    expect(() => define({ revisions: ["1999-01-01" as never] })).toThrow(failure("INVALID_ARGUMENT", "2026-07-28"));
  });

  test("a short key is refused, since it could be guessed", () => {
    expect(() => define({ stateKey: "secret" })).toThrow(failure("INVALID_ARGUMENT", "stateKey", "32"));
    for (const stateKey of [[], 64, [64], {}, [[]], () => "a function is no key, however long it may be"]) {
      expect(() => define({ stateKey: stateKey as never })).toThrow(failure("INVALID_ARGUMENT", "stateKey", "32"));
    }
    expect(() => define({ stateKey: ["x".repeat(32), new Uint8Array(31)] })).toThrow(
      failure("INVALID_ARGUMENT", "stateKey"),
    );
  });

  test("a definition without its function is refused", () => {
    expect(() => define({ tools: { a: {} as never } })).toThrow(failure("INVALID_DEFINITION", '"a"', "run"));
    const noRead = failure("INVALID_DEFINITION", '"a"', "`read` is missing");
    expect(() => define({ resources: { a: resource({ uri: "a://b" } as never) } })).toThrow(noRead);
    expect(() => define({ resources: { a: resource({ template: "a://{b}" } as never) } })).toThrow(noRead);
    expect(() => define({ prompts: { a: prompt({} as never) } })).toThrow(
      failure("INVALID_DEFINITION", '"a"', "`get` is missing"),
    );
  });

  test("a value that is no definition is refused, and the function that makes one is named", () => {
    expect(() => define({ resources: { a: "a://b" as never } })).toThrow(
      failure("INVALID_DEFINITION", '"a"', "`resource", "a string"),
    );
    expect(() => define({ prompts: { a: run as never } })).toThrow(failure("INVALID_DEFINITION", '"a"', "`prompt"));
  });

  test("definitions are plain data: what resource() and prompt() return can be copied, and has no other members", () => {
    const page = { uri: "a://b", read: run };
    const ask = { get: run };
    expect({ ...resource(page) }).toEqual(page);
    expect({ ...prompt(ask) }).toEqual(ask);
    const { resources, prompts } = define({ resources: { a: { ...page } }, prompts: { a: { ...ask } as never } });
    expect([resources.names, prompts.names]).toEqual([["a"], ["a"]]);
  });
});

describe("schemas of libraries", () => {
  const cases: [string, AnySchema][] = [
    ["zod", z.object({ city: z.string(), days: z.number().optional() })],
    ["valibot", toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) }))],
    ["arktype", type({ city: "string", "days?": "number" })],
  ];

  test.each(cases)("%s: listed as JSON Schema, validated by the library", async (_name, input) => {
    const server = define({ tools: { a: tool({ input, output: input, run: (args) => args as never }) } });
    const client = new ModernClient(server);
    const [listed] = (await client.request("tools/list")).tools;
    for (const schema of [listed.inputSchema, listed.outputSchema]) {
      expect(schema).toMatchObject({
        type: "object",
        properties: { city: { type: "string" }, days: { type: "number" } },
        required: ["city"],
      });
    }
    expect(await client.callTool("a", { city: "Oslo", days: 2 })).toMatchObject({
      structuredContent: { city: "Oslo", days: 2 },
    });
    const { isError, content } = await client.callTool("a", { days: "two" });
    expect(isError).toBe(true);
    expect(content[0].text).toMatch(/city[\s\S]*days|days[\s\S]*city/);
  });

  test("refinements run although JSON Schema has no words for them", async () => {
    const input = z
      .object({ from: z.number(), to: z.number() })
      .refine(({ from, to }) => from <= to, "from must not be after to");
    const client = new ModernClient(define({ tools: { a: tool({ input, run: () => "ok" }) } }));
    expect(await client.callTool("a", { from: 2, to: 1 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("from must not be after to") }],
    });
    expect(await client.callTool("a", { from: 1, to: 2 })).not.toHaveProperty("isError");
  });

  test("asynchronous checks are awaited", async () => {
    const input = z.object({ name: z.string().refine(async (name) => name !== "taken", "is taken") });
    const output = z.object({ ok: z.boolean().refine(async (ok) => ok) });
    const client = new ModernClient(
      define({
        onDiagnostic: () => {},
        tools: { a: tool({ input, output, run: ({ name }) => ({ ok: name !== "bad" }) }) },
      }),
    );
    expect(await client.callTool("a", { name: "taken" })).toMatchObject({ isError: true });
    expect(await client.callTool("a", { name: "free" })).toMatchObject({ structuredContent: { ok: true } });
    expect(await client.callTool("a", { name: "bad" })).toMatchObject({ isError: true });
  });

  test("defaults and transforms of `output` are applied to what is sent", async () => {
    const output = z.object({ n: z.number(), unit: z.string().default("m") });
    const client = new ModernClient(define({ tools: { a: tool({ output, run: () => ({ n: 1 }) }) } }));
    expect(await client.callTool("a")).toMatchObject({
      structuredContent: { n: 1, unit: "m" },
      content: [{ text: '{"n":1,"unit":"m"}' }],
    });
  });

  test.each([
    ["a string", z.string()],
    ["a list", z.array(z.string())],
    ["a union with something else", z.union([z.object({}), z.string()])],
    ["anything", z.any()],
  ])("input that is %s is refused: arguments are an object", (_what, input) => {
    expect(() => define({ tools: { a: tool({ input, run }) } })).toThrow(
      failure("INVALID_SCHEMA", 'tool "a"', 'type: "object"'),
    );
  });

  const NODE = { $id: "Node", type: "object", properties: { next: { $ref: "Node" }, value: { type: "string" } } };
  test.each([
    [
      "one definition out of many, by its `$id`",
      { $defs: { Text: { $id: "Text", type: "string" }, Node: NODE }, $ref: "Node" },
    ],
    ["one definition, by the way there", { $defs: { Node: NODE }, $ref: "#/$defs/Node" }],
    ["one definition, among some that are nothing", { $defs: { No: undefined, Any: true, Node: NODE }, $ref: "Node" }],
    ["a list of one type", { ...NODE, type: ["object"] }],
  ])("input may be an object in the words of a generator: %s", async (_what, input) => {
    const client = new ModernClient(define({ tools: { a: tool({ input, run: () => "ok" }) } }));
    expect(await client.callTool("a", { next: { value: "x" } })).not.toHaveProperty("isError");
    expect(await client.callTool("a", { next: { value: 1 } })).toHaveProperty("isError", true);
  });

  test.each([null, [null], { Node: null }])("a library may write malformed definitions: %j", ($defs) => {
    const write = (): Record<string, unknown> => ({ $defs, $ref: "Node" });
    const standard = { ...z.object({})["~standard"], jsonSchema: { input: write, output: write } };
    expect(() => define({ tools: { a: tool({ input: { "~standard": standard }, run }) } })).toThrow(
      failure("INVALID_SCHEMA", 'type: "object"'),
    );
  });

  test("a schema that JSON Schema cannot express is refused, naming the library", () => {
    expect(() => define({ tools: { a: tool({ input: z.object({ when: z.date() }), run }) } })).toThrow(
      failure("INVALID_SCHEMA", "zod"),
    );
    expect(() => define({ tools: { a: tool({ input: v.object({}) as never, run }) } })).toThrow(
      failure("INVALID_SCHEMA", "toStandardJsonSchema"),
    );
  });

  test("an object of schemas is refused with a hint", () => {
    expect(() => define({ tools: { a: tool({ input: { city: z.string() } as never, run }) } })).toThrow(
      failure("INVALID_SCHEMA", "z.object"),
    );
  });
});

describe("invalid definitions", () => {
  test("are refused, and named", () => {
    expect(() => define({ tools: { a: undefined as never } })).toThrow(failure("INVALID_DEFINITION", 'tool "a"'));
    expect(() => define({ prompts: { a: null as never } })).toThrow(failure("INVALID_DEFINITION", 'prompt "a"'));
    const both = { uri: "a://b", template: "a://{b}", read: () => "" };
    expect(() => resource(both as never)).toThrow(failure("INVALID_DEFINITION", "not both"));
    const unlistable = resource({ uri: "a://b", _meta: { "a/b": 1n } as never, read: () => "" });
    expect(() => define({ resources: { unlistable } })).toThrow(failure("INVALID_DEFINITION", "cannot be listed"));
  });

  test("a kind of which nothing is left is empty rather than gone", async () => {
    const server = define({});
    const client = new ModernClient(server);
    await expect(client.request("tools/list")).rejects.toMatchObject({ code: -32601 });
    server.tools.add("a", tool({ run }));
    server.tools.remove("a");
    expect(await client.request("tools/list")).toMatchObject({ tools: [] });
  });
});

test("no secret is shown where a server is printed or written as JSON", async () => {
  const stateKey = "correct horse battery staple, twice";
  const ask = tool({ run: async (_args, ctx) => void (await ctx.elicit("k", { message: "?", schema: z.object({}) })) });
  const server = define({ stateKey: [stateKey, new TextEncoder().encode(stateKey)], tools: { ask } });
  // Also once the key has been used.
  await new ModernClient(server, { capabilities: { elicitation: { form: {} } } }).callTool("ask");
  const bytes = Array.from(new TextEncoder().encode(stateKey.slice(0, 9)));
  for (const options of [{}, { depth: Infinity, showHidden: true, getters: true, showProxy: true }]) {
    const printed = inspect(server, { ...options, maxArrayLength: Infinity }).replaceAll(/\s+/g, " ");
    expect(printed).not.toContain(stateKey);
    expect(printed).not.toContain(bytes.join(", "));
  }
  const written = JSON.stringify(server);
  expect(written).not.toContain(stateKey);
  expect(written).not.toContain(bytes.map((byte, index) => `"${index}":${byte}`).join(","));
});

describe("onDiagnostic", () => {
  test.each<[string, () => unknown]>([
    ["throws", () => expect.fail("the log is down")],
    ["rejects", async () => expect.fail("the log is down")],
  ])("may fail: a listener that %s does no harm", async (_how, fail) => {
    const heard: unknown[] = [];
    const server = define({
      onDiagnostic(event) {
        heard.push(event);
        return fail() as void;
      },
      tools: { broken: tool({ run: () => expect.fail("broken") }), fine: tool({ run: () => "fine" }) },
    });
    const unhandled = vi.fn<() => void>();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const client = new ModernClient(server);
    expect(await client.callTool("broken")).toMatchObject({ isError: true });
    expect(await client.callTool("fine")).toMatchObject({ content: [{ text: "fine" }] });
    expect(heard).toHaveLength(1);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("plain JSON Schema", () => {
  const withInput = (input: AnySchema): Server => define({ tools: { a: tool({ input, run }) } });

  test.each([
    [
      "an unsupported dialect",
      { $schema: "http://json-schema.org/draft-04/schema#", type: "object" },
      "UNSUPPORTED_DIALECT",
      "draft-04",
    ],
    [
      "a reference to the network",
      { type: "object", properties: { a: { $ref: "https://example.com/s.json" } } },
      "INVALID_SCHEMA",
      "never fetched",
    ],
    ["a malformed reference", { type: "object", properties: { a: { $ref: "#/%" } } }, "INVALID_SCHEMA", "#/%"],
    [
      "a reference to nothing",
      { type: "object", properties: { a: { $ref: "#/$defs/none" } } },
      "INVALID_SCHEMA",
      "#/\\$defs/none",
    ],
    [
      "a reference to another document, beside an `$id`",
      { $id: "https://example.com/this", type: "object", properties: { a: { $ref: "other#/$defs/b" } } },
      "INVALID_SCHEMA",
      "properties.a.\\$ref.*other#/\\$defs/b.*never fetched: embed it in \\$defs",
    ],
    [
      "a reference to nothing within an embedded schema, beside something elsewhere",
      {
        type: "object",
        properties: { a: { $id: "https://example.com/inner", $ref: "#/$defs/b" } },
        $defs: { b: { type: "string" } },
      },
      "INVALID_SCHEMA",
      '#/\\$defs/b" leads nowhere',
    ],
    [
      "a reference to something that is no schema",
      { type: "object", properties: { a: { $ref: "#/required" } }, required: ["a"] },
      "INVALID_SCHEMA",
      'properties.a.\\$ref: "#/required" leads nowhere',
    ],
    [
      "what is wrong in a place that only a reference leads to",
      { type: "object", properties: { a: { $ref: "#/components/b" } }, components: { b: { type: "text" } } },
      "INVALID_SCHEMA",
      '#/components/b"].type',
    ],
    ["an unknown type", { type: "object", properties: { a: { type: "text" } } }, "INVALID_SCHEMA", "properties.a.type"],
    [
      "required where it does not belong",
      { type: "object", properties: { a: { type: "string", required: true } } },
      "INVALID_SCHEMA",
      "required",
    ],
    ["an invalid enum", { type: "object", properties: { a: { enum: "a" } } }, "INVALID_SCHEMA", "enum"],
    ["a bad pattern", { type: "object", properties: { a: { pattern: "(" } } }, "INVALID_SCHEMA", "pattern"],
    [
      "a bad pattern for names",
      { type: "object", patternProperties: { "(": {} } },
      "INVALID_SCHEMA",
      "patternProperties",
    ],
    ["a count below 0", { type: "object", properties: { a: { minLength: -1 } } }, "INVALID_SCHEMA", "minLength"],
    ["half a count", { type: "object", properties: { a: { maxItems: 1.5 } } }, "INVALID_SCHEMA", "maxItems"],
    ["a limit that is text", { type: "object", properties: { a: { minimum: "1" } } }, "INVALID_SCHEMA", "minimum"],
    [
      "a limit of draft-04",
      { type: "object", properties: { a: { exclusiveMinimum: true } } },
      "INVALID_SCHEMA",
      "number",
    ],
    ["multiples of nothing", { type: "object", properties: { a: { multipleOf: 0 } } }, "INVALID_SCHEMA", "above 0"],
    ["an anchor that is not there", { type: "object", properties: { a: { $ref: "#foo" } } }, "INVALID_SCHEMA", "#foo"],
    ["the same, dynamically", { type: "object", properties: { a: { $dynamicRef: "#foo" } } }, "INVALID_SCHEMA", "#foo"],
    [
      "another dialect inside",
      { type: "object", properties: { a: { $schema: "http://json-schema.org/draft-07/schema#" } } },
      "INVALID_SCHEMA",
      "cannot mix dialects",
    ],
    [
      "an unsupported dialect inside",
      { type: "object", properties: { a: { $schema: "http://json-schema.org/draft-04/schema#" } } },
      "UNSUPPORTED_DIALECT",
      "draft-04",
    ],
    ["a tuple of draft-07", { type: "object", properties: { a: { items: [{}] } } }, "INVALID_SCHEMA", "prefixItems"],
    ["no type at all", { type: "object", properties: { a: { type: [] } } }, "INVALID_SCHEMA", "properties.a.type"],
    ["invalid names", { type: "object", dependentRequired: { a: "b" } }, "INVALID_SCHEMA", "dependentRequired"],
    ["what JSON cannot hold", { type: "object", properties: { a: { const: 1n } } }, "INVALID_DEFINITION", "BigInt"],
    ["invalid properties", { type: "object", properties: [] }, "INVALID_SCHEMA", "properties"],
    ["an empty union", { type: "object", anyOf: [] }, "INVALID_SCHEMA", "anyOf"],
    ["no object at the root", { type: "array" }, "INVALID_SCHEMA", 'type: "object"'],
    ["no type at the root", {}, "INVALID_SCHEMA", 'type: "object"'],
    ["true", true, "INVALID_SCHEMA", 'type: "object"'],
    ["null", null, "INVALID_SCHEMA", "null"],
  ])("%s is refused while the server is defined", (_what, schema, code, words) => {
    expect(() => withInput(schema as never)).toThrow(failure(code, 'tool "a"', words));
    const { tools } = define({ tools: {} });
    expect(() => tools.add("a", tool({ input: schema as never, run }))).toThrow(failure(code, 'tool "a"', words));
  });

  test("anchors of every dialect can be referred to", () => {
    const here = (anchor: object, ref = "#foo"): object => ({
      type: "object",
      properties: { a: { $ref: ref }, b: anchor },
    });
    for (const schema of [
      here({ $anchor: "foo", type: "string" }),
      here({ $dynamicAnchor: "foo", type: "string" }),
      { $schema: "http://json-schema.org/draft-07/schema#", ...here({ $id: "#foo", type: "string" }) },
    ]) {
      expect(() => withInput(schema as never)).not.toThrow();
    }
  });

  test.each(["^\\d{4}\\-\\d{2}$", "^[\\w-\\.]+@x$", "^\\#[0-9a-f]{6}$", "^{.*}$"])(
    "patterns that only work without the flag u are taken, as the validator takes them: %s",
    (pattern) => {
      const schema = {
        type: "object",
        properties: { a: { type: "string", pattern } },
        patternProperties: { [pattern]: {} },
      };
      expect(() => withInput(schema as never)).not.toThrow();
    },
  );

  test("a pointer within a schema that has an `$id` of its own begins there", () => {
    const inner = { $id: "https://example.com/inner", $defs: { b: { type: "string" } }, $ref: "#/$defs/b" };
    expect(() => withInput({ type: "object", properties: { a: inner } } as never)).not.toThrow();
  });

  test("a root that refers to an object is one, as zod writes recursive schemas with an id", async () => {
    const Node = z.object({
      v: z.number(),
      get children() {
        return z.array(Node).optional();
      },
    });
    const server = withInput(Node.meta({ id: "DefinitionTestNode" }));
    const { tools } = await new ModernClient(server).request("tools/list");
    expect(tools[0].inputSchema.type).toBe("object");
  });

  test.each<[string, AnySchema | undefined]>([
    ["no arguments", undefined],
    ["any arguments", { type: "object" }],
    ["a record", z.record(z.string(), z.number())],
    ["a union", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
  ])(
    "a tool that takes %s lists no properties, as models refuse schemas that say nothing of them",
    async (_, input) => {
      const client = new ModernClient(define({ tools: { a: tool({ ...(input && { input: input as never }), run }) } }));
      const { tools } = await client.request("tools/list");
      expect(tools[0].inputSchema).toMatchObject({ type: "object", properties: {} });
    },
  );

  test("a schema that is too large is refused", () => {
    let deep: object = { type: "object" };
    for (let level = 0; level < 150; level += 1) deep = { type: "object", properties: { a: deep } };
    expect(() => withInput(deep as never)).toThrow(failure("INVALID_SCHEMA", "more than 100 levels"));
  });

  test.each([
    [
      "draft-07",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { a: { items: [{ type: "string" }] } },
      },
    ],
    ["2019-09", { $schema: "https://json-schema.org/draft/2019-09/schema", type: "object" }],
    [
      "references within",
      { type: "object", properties: { a: { $ref: "#/$defs/x~1y" } }, $defs: { "x/y": { type: "string" } } },
    ],
    ["recursion", { type: "object", properties: { child: { $ref: "#" } } }],
    ["anchors", { type: "object", properties: { a: { $ref: "#x" } }, $defs: { x: { $anchor: "x", type: "string" } } }],
  ])("%s is accepted", async (_what, schema) => {
    const server = withInput(schema as never);
    expect(await new ModernClient(server).callTool("a", {})).not.toHaveProperty("isError");
  });

  test("a dynamic reference that may mean several schemas is refused while the server is defined", () => {
    // Which of the two is meant depends on how validation gets there.
    const properties = { a: { $dynamicRef: "#x" }, b: { $dynamicAnchor: "x" } };
    const $defs = { other: { $id: "https://example.com/other", $dynamicAnchor: "x" } };
    const input = { type: "object", properties, $defs } as const;
    expect(() => define({ tools: { a: tool({ input, run }) } })).toThrow(
      failure("INVALID_SCHEMA", 'tool "a"', "possible targets"),
    );
  });

  test("another validator can take the place of ours, and is asked at once", async () => {
    const seen: unknown[] = [];
    const validator: SchemaValidator = {
      compile(schema) {
        seen.push(schema);
        return (value) => (value !== null ? { ok: true, value } : { ok: false, issues: [] });
      },
    };
    const input = { type: "object", properties: { a: { type: "nonsense" } } } as const;
    const server = define({ validator, tools: { a: tool({ input, run: () => "ran" }) } });
    expect(seen).toStrictEqual([input]);
    expect(await new ModernClient(server).callTool("a", { a: 1 })).toMatchObject({ content: [{ text: "ran" }] });
  });
});

describe("header annotations", () => {
  const withProperty = (property: object): Server =>
    define({
      tools: {
        a: tool({
          input: { type: "object", properties: { a: property, b: { type: "string", "x-mcp-header": "Region" } } },
          run,
        }),
      },
    });

  test.each([
    ["empty", { type: "string", "x-mcp-header": "" }],
    ["on a number", { type: "number", "x-mcp-header": "A" }],
    ["on an object", { type: "object", "x-mcp-header": "A" }],
    ["with a space", { type: "string", "x-mcp-header": "a b" }],
    ["twice", { type: "string", "x-mcp-header": "REGION" }],
    ["inside a list", { type: "array", items: { type: "string", "x-mcp-header": "A" } }],
  ])("%s are refused", (_what, property) => {
    expect(() => withProperty(property)).toThrow(failure("INVALID_DEFINITION", "x-mcp-header"));
  });
});

describe("resources and prompts", () => {
  test.each(["readme", "", "no scheme", "a://b c", "1a://b", "a://%zz"])("the URI %j is refused", (uri) => {
    expect(() => define({ resources: { r: resource({ uri, read: run }) } })).toThrow(
      failure("INVALID_DEFINITION", "URI", "scheme"),
    );
  });

  test.each(["a://{", "a://{}", "a://{x", "a://x}", "a://{!x}"])("the template %j is refused", (template) => {
    expect(() => define({ resources: { r: resource({ template, read: run }) } })).toThrow(
      failure("INVALID_URI_TEMPLATE", '"r"'),
    );
  });

  test("URIs and templates are unique", () => {
    const uri = { a: resource({ uri: "a://b", read: run }), b: resource({ uri: "a://b", read: run }) };
    expect(() => define({ resources: uri })).toThrow(failure("DUPLICATE_NAME", "a://b"));
    const template = {
      a: resource({ template: "a://{b}", read: run }),
      b: resource({ template: "a://{b}", read: run }),
    };
    expect(() => define({ resources: template })).toThrow(failure("DUPLICATE_NAME", "a://{b}"));
  });

  test("a removed URI can be used again", () => {
    const server = define({
      resources: { a: resource({ uri: "a://b", read: run }), t: resource({ template: "t://{b}", read: run }) },
    });
    server.resources.remove("a");
    server.resources.remove("t");
    server.resources.add("c", resource({ uri: "a://b", read: run }));
    server.resources.add("u", resource({ template: "t://{b}", read: run }));
    expect(server.resources.names).toStrictEqual(["c", "u"]);
  });

  test("completion of what does not exist is refused", () => {
    expect(() =>
      define({ resources: { r: resource({ template: "a://{b}", complete: { c: () => [] } as never, read: run }) } }),
    ).toThrow(failure("INVALID_DEFINITION", "complete.c"));
    expect(() =>
      define({
        prompts: { p: prompt({ arguments: z.object({ a: z.string() }), complete: { c: () => [] }, get: run }) },
      }),
    ).toThrow(failure("INVALID_DEFINITION", "complete.c"));
  });

  test("the arguments of a prompt are an object", () => {
    expect(() => define({ prompts: { p: prompt({ arguments: z.string(), get: run }) } })).toThrow(
      failure("INVALID_SCHEMA", "object"),
    );
  });

  test("kinds that are added later are declared from then on", async () => {
    const server = define({});
    const client = new ModernClient(server);
    expect(Object.keys((await client.request("server/discover")).capabilities)).toStrictEqual(["logging"]);
    server.tools.add("t", tool({ run }));
    server.prompts.add("p", prompt({ arguments: { a: { complete: () => [] } }, get: run }));
    server.resources.add("r", resource({ uri: "a://b", read: run }));
    expect(Object.keys((await client.request("server/discover")).capabilities)).toStrictEqual([
      "tools",
      "resources",
      "prompts",
      "completions",
      "logging",
    ]);
  });
});
