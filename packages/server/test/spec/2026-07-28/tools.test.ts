/** server/tools and server/discover of 2026-07-28. */
import type { JsonSchemaObject } from "@toolwire/protocol";
import { jsonSchema } from "@toolwire/json-schema";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  audio,
  createServer,
  embeddedResource,
  image,
  reply,
  resourceLink,
  text,
  tool,
  ToolError,
  type ServerDiagnostic,
} from "../../../src/index.ts";
import { ModernClient } from "../../wire-client.ts";

const diagnostics: ServerDiagnostic[] = [];
let runs = 0;

const server = createServer({
  name: "tools",
  version: "1",
  onDiagnostic: (event) => diagnostics.push(event),
  tools: {
    get_weather: tool({
      title: "Weather",
      description: "Current weather",
      input: z.object({ city: z.string(), units: z.enum(["metric", "imperial"]).optional() }),
      output: z.object({ temperature: z.number(), conditions: z.string() }),
      annotations: { readOnlyHint: true },
      icons: [{ src: "https://example.com/i.png" }],
      _meta: { "com.example/x": 1 },
      run({ city }) {
        runs += 1;
        if (city === "Atlantis") throw new ToolError("There is no such city");
        if (city === "Broken") return { temperature: "warm" } as never;
        if (city === "Boom") throw new Error("secret: password is 1234");
        return { temperature: 22.5, conditions: `fine in ${city}` };
      },
    }),
    list_users: tool({
      output: z.array(z.object({ id: z.string() })),
      run: () => [{ id: "1" }, { id: "2" }],
    }),
    nothing: tool({ output: z.null(), run: () => null }),
    summary: tool({
      output: z.object({ sum: z.number() }),
      run: () =>
        reply({ content: ["in words", text("and more")], structured: { sum: 3 }, _meta: { "com.example/y": 2 } }),
    }),
    refuses: tool({
      output: z.object({ sum: z.number() }),
      run: () => reply({ content: "no", isError: true }),
    }),
    plain: tool({ run: () => "just text" }),
    blocks: tool({
      run: () => [
        text("a", { annotations: { audience: ["user"], priority: 0.5 } }),
        image(new Uint8Array([1, 2, 3]), "image/png"),
        audio("AQID", "audio/wav"),
        resourceLink({ uri: "file:///a", name: "a" }),
        embeddedResource({ uri: "file:///a", mimeType: "text/plain", text: "x" }),
        embeddedResource({ uri: "file:///b", blob: new Uint8Array([255]) }),
      ],
    }),
    silent: tool({ run: () => {} }),
    strict: tool({
      input: jsonSchema<{ mode: "a" | "b" }>({
        type: "object",
        properties: { mode: { enum: ["a", "b"] }, count: { type: "integer" } },
        required: ["mode"],
        additionalProperties: false,
      }),
      run: ({ mode }) => mode,
    }),
  },
});

const client = new ModernClient(server);

describe("capabilities", () => {
  test("servers that support tools MUST declare them", async () => {
    const { capabilities, supportedVersions } = await client.request("server/discover");
    expect(capabilities.tools).toStrictEqual({ listChanged: true });
    expect(supportedVersions).toContain("2026-07-28");
  });

  test("a server without tools declares none, and serves no tools/list", async () => {
    const other = new ModernClient(createServer({ name: "none", version: "1" }));
    expect((await other.request("server/discover")).capabilities).not.toHaveProperty("tools");
    await expect(other.request("tools/list")).rejects.toMatchObject({ code: -32601 });
    await expect(other.request("prompts/list")).rejects.toMatchObject({ code: -32601 });
    await expect(other.request("resources/list")).rejects.toMatchObject({ code: -32601 });
    await expect(other.request("resources/templates/list")).rejects.toMatchObject({ code: -32601 });
    await expect(other.request("completion/complete", {})).rejects.toMatchObject({ code: -32601 });
  });

  test("a set that was declared empty is answered with an empty list", async () => {
    const other = new ModernClient(createServer({ name: "empty", version: "1", tools: {} }));
    expect((await other.request("tools/list")).tools).toStrictEqual([]);
  });

  test("instructions and identity are part of discovery", async () => {
    const other = new ModernClient(createServer({ name: "i", version: "2", instructions: "Be kind." }));
    const result = await other.request("server/discover");
    expect(result).toMatchObject({
      instructions: "Be kind.",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "i", version: "2" } },
    });
  });
});

describe("listing", () => {
  test("a tool is listed with everything it says about itself", async () => {
    const { tools } = await client.request("tools/list");
    expect(tools[0]).toStrictEqual({
      name: "get_weather",
      title: "Weather",
      description: "Current weather",
      inputSchema: {
        type: "object",
        properties: { city: { type: "string" }, units: { type: "string", enum: ["metric", "imperial"] } },
        required: ["city"],
      },
      outputSchema: expect.objectContaining({ type: "object", required: ["temperature", "conditions"] }),
      annotations: { readOnlyHint: true },
      icons: [{ src: "https://example.com/i.png" }],
      _meta: { "com.example/x": 1 },
    });
  });

  test("the order SHOULD be deterministic, and is that of the definition", async () => {
    const first = await client.request("tools/list");
    expect(first.tools.map((listed: { name: string }) => listed.name)).toStrictEqual(server.tools.names);
    expect(await client.request("tools/list")).toStrictEqual(first);
  });

  test("the set MUST NOT vary by connection or by what was called before", async () => {
    const first = await client.request("tools/list");
    await client.callTool("plain");
    expect(await new ModernClient(server).request("tools/list")).toStrictEqual(first);
  });

  test("tools without parameters use the recommended schema", async () => {
    const { tools } = await client.request("tools/list");
    const plain = tools.find((listed: { name: string }) => listed.name === "plain");
    expect(plain.inputSchema).toStrictEqual({ type: "object", additionalProperties: false, properties: {} });
  });

  test("JSON Schema is listed as it was written", async () => {
    const schema: JsonSchemaObject = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { $anchor: "address", type: "object" } },
      properties: { home: { $ref: "#/$defs/address" } },
      allOf: [{ anyOf: [{ required: ["home"] }, true] }],
      if: { required: ["home"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
      then: {},
      else: {},
      additionalProperties: false,
    };
    const other = new ModernClient(
      createServer({ name: "s", version: "1", tools: { a: tool({ input: schema, run: () => "" }) } }),
    );
    expect((await other.request("tools/list")).tools[0].inputSchema).toStrictEqual(schema);
  });

  test("unions of objects are listed as what they are", async () => {
    const input = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), a: z.string() }),
      z.object({ kind: z.literal("b"), b: z.number() }),
    ]);
    const other = new ModernClient(
      createServer({ name: "u", version: "1", tools: { u: tool({ input, run: ({ kind }) => kind }) } }),
    );
    const [listed] = (await other.request("tools/list")).tools;
    expect(listed.inputSchema).toMatchObject({ type: "object", oneOf: [{ type: "object" }, { type: "object" }] });
    expect(await other.callTool("u", { kind: "b", b: 1 })).toMatchObject({ content: [{ text: "b" }] });
    expect(await other.callTool("u", { kind: "c" })).toMatchObject({ isError: true });
  });
});

describe("results", () => {
  test("structured results MUST conform to the output schema, and SHOULD be mirrored as text", async () => {
    expect(await client.callTool("get_weather", { city: "Oslo" })).toMatchObject({
      content: [{ type: "text", text: '{"temperature":22.5,"conditions":"fine in Oslo"}' }],
      structuredContent: { temperature: 22.5, conditions: "fine in Oslo" },
    });
  });

  test("structured results may be any JSON value", async () => {
    expect(await client.callTool("list_users")).toMatchObject({ structuredContent: [{ id: "1" }, { id: "2" }] });
    const { structuredContent, content } = await client.callTool("nothing");
    expect(structuredContent).toBeNull();
    expect(content).toStrictEqual([{ type: "text", text: "null" }]);
  });

  test("content of one's own takes the place of the mirrored text", async () => {
    const result = await client.callTool("summary");
    expect(result.content).toStrictEqual([
      { type: "text", text: "in words" },
      { type: "text", text: "and more" },
    ]);
    expect(result.structuredContent).toStrictEqual({ sum: 3 });
    expect(result._meta["com.example/y"]).toBe(2);
  });

  test("error results are not held to the output schema", async () => {
    const result = await client.callTool("refuses");
    expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: "no" }] });
    expect(result).not.toHaveProperty("structuredContent");
  });

  test("all kinds of content can be returned, binary data as base64", async () => {
    const { content } = await client.callTool("blocks");
    expect(content).toStrictEqual([
      { type: "text", text: "a", annotations: { audience: ["user"], priority: 0.5 } },
      { type: "image", data: "AQID", mimeType: "image/png" },
      { type: "audio", data: "AQID", mimeType: "audio/wav" },
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "resource", resource: { uri: "file:///a", mimeType: "text/plain", text: "x" } },
      { type: "resource", resource: { uri: "file:///b", blob: "/w==" } },
    ]);
  });

  test("a tool may return nothing", async () => {
    expect((await client.callTool("silent")).content).toStrictEqual([]);
  });
});

describe("errors", () => {
  test("an unknown tool is a protocol error, -32602", async () => {
    await expect(client.callTool("nope")).rejects.toMatchObject({ code: -32602, message: "Unknown tool: nope" });
  });

  test.each(["constructor", "__proto__", "toString", "hasOwnProperty", ""])("the name %j is no tool", async (name) => {
    await expect(client.callTool(name)).rejects.toMatchObject({ code: -32602 });
  });

  test("an unknown tool can be reported to the model instead", async () => {
    const other = new ModernClient(createServer({ name: "r", version: "1", unknownTool: "result", tools: {} }));
    expect(await other.callTool("nope")).toMatchObject({ isError: true, content: [{ text: "Unknown tool: nope" }] });
  });

  test("malformed requests are protocol errors, -32602", async () => {
    for (const params of [
      {},
      { name: 1 },
      { name: "plain", arguments: [] },
      { name: "plain", arguments: "x" },
      { name: "plain", requestState: 1 },
    ]) {
      await expect(client.request("tools/call", params)).rejects.toMatchObject({ code: -32602 });
    }
  });

  test("servers MUST validate inputs: each problem is listed for the model, and nothing has run", async () => {
    const before = runs;
    const result = await client.callTool("get_weather", { units: "kelvin" });
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain("- city:");
    expect(result.content[0].text).toContain("- units:");
    expect(runs).toBe(before);
  });

  test("plain JSON Schema names missing, mistyped, unsupported and unknown properties", async () => {
    const { content, isError } = await client.callTool("strict", { mode: "c", count: "x", extra: 1 });
    expect(isError).toBe(true);
    expect(content[0].text).toMatch(/mode/);
    expect(content[0].text).toMatch(/count/);
    expect(content[0].text).toMatch(/extra/);
    expect((await client.callTool("strict")).content[0].text).toMatch(/mode/);
    expect((await client.callTool("strict", { mode: "a" })).content[0].text).toBe("a");
  });

  test("arguments for a tool without any are pointed out", async () => {
    expect(await client.callTool("plain", { a: 1 })).toMatchObject({ isError: true });
    expect(await client.callTool("plain", {})).not.toHaveProperty("isError");
  });

  test("a ToolError is an execution error that the model can read", async () => {
    expect(await client.callTool("get_weather", { city: "Atlantis" })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "There is no such city" }],
    });
  });

  test("other exceptions never leak their text: the caller gets an id, the operator the error", async () => {
    const result = await client.callTool("get_weather", { city: "Boom" });
    const shown = JSON.stringify(result);
    expect(result.isError).toBe(true);
    expect(shown).not.toContain("secret");
    const event = diagnostics.at(-1);
    expect(shown).toContain(event?.errorId);
    expect(event).toMatchObject({ level: "error", error: new Error("secret: password is 1234") });
  });

  test("a result that does not fit `output` is not sent, and reported to the operator", async () => {
    const result = await client.callTool("get_weather", { city: "Broken" });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain("warm");
    expect(diagnostics.at(-1)).toMatchObject({ error: { message: expect.stringContaining("temperature") } });
  });
});
