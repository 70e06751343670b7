import { connect, type ClientOptions } from "@toolwire/client";
import type { SchemaValidator } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, sendJson } from "../transports/http/listen.ts";
import { modernServer, type Script } from "../scripted-server.ts";

const SCHEMA = {
  type: "object",
  properties: { temperature: { type: "number" }, days: { type: "array", items: { type: "string" } } },
  required: ["temperature"],
};

async function connected(
  result: object,
  options: ClientOptions = {},
  outputSchema: unknown = SCHEMA,
  script: Script = {},
) {
  const server = modernServer({
    "tools/list": () => ({ tools: [{ name: "weather", inputSchema: { type: "object" }, outputSchema }] }),
    "tools/call": result,
    ...script,
  });
  return { server, client: await connect(server.channel, { onDiagnostic: () => {}, ...options }) };
}

describe("the result of a tool that was listed", () => {
  test("is passed on if it fits its output schema", async () => {
    const { client } = await connected({ content: [], structuredContent: { temperature: 3 } });
    await client.listTools();
    await expect(client.callTool("weather")).resolves.toMatchObject({ structuredContent: { temperature: 3 } });
    await client.close();
  });

  test.each([
    [{ structuredContent: { temperature: "warm" } }, "structuredContent.temperature: "],
    [{ structuredContent: { temperature: 1, days: ["Monday", 2] } }, "structuredContent.days[1]: "],
    [{ structuredContent: {} }, "structuredContent.temperature: "],
    [{ structuredContent: [] }, "structuredContent: "],
    [{}, "structuredContent: missing"],
  ])("%j is an error that names the place", async (result, place) => {
    const { client } = await connected({ content: [], ...result });
    await client.listTools();
    await expect(client.callTool("weather")).rejects.toMatchObject({
      code: "INVALID_RESULT",
      message: expect.stringContaining(place) as string,
    });
    await client.close();
  });

  test("is an error if it is missing, with the content that came in its place, which may be the reason", async () => {
    const { client } = await connected({ content: [{ type: "text", text: `No such city${"!".repeat(1000)}` }] });
    await client.listTools();
    const error: unknown = await client.callTool("weather").catch((reason: unknown) => reason);
    expect((error as Error).message).toContain('structuredContent: missing beside content [{"type"');
    expect((error as Error).message).toContain("No such city");
    expect((error as Error).message.length).toBeLessThan(500);
    await client.close();
  });

  test.each([
    ["2020-12", undefined, true],
    ["2019-09", "https://json-schema.org/draft/2019-09/schema", true],
    ["draft-07", "http://json-schema.org/draft-07/schema#", false],
  ])("need not have a format where that is an annotation: in %s", async (_, $schema, isTaken) => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", format: "regex" } },
      ...($schema && { $schema }),
    };
    const { client } = await connected({ content: [], structuredContent: { a: "\\p{".repeat(50_000) } }, {}, schema);
    await client.listTools();
    const call = client.callTool("weather");
    if (isTaken) await expect(call).resolves.toHaveProperty("structuredContent");
    else await expect(call).rejects.toMatchObject({ code: "INVALID_RESULT" });
    await client.close();
  });

  test("is not checked if null is written for the schema", async () => {
    const { client } = await connected({ content: [], structuredContent: { any: 1 } }, {}, null);
    await client.listTools();
    await expect(client.callTool("weather")).resolves.toMatchObject({ structuredContent: { any: 1 } });
    await client.close();
  });

  test("is not checked against the schema if it reports a failure", async () => {
    const { client } = await connected({ content: [{ type: "text", text: "no" }], isError: true });
    await client.listTools();
    await expect(client.callTool("weather")).resolves.toMatchObject({ isError: true });
    await client.close();
  });

  test("is judged by the schema of today, if that has changed since it was listed", async () => {
    const server = modernServer({
      "tools/list": (_, __, self) => ({
        tools: [
          {
            name: "weather",
            inputSchema: { type: "object" },
            outputSchema: self.requests("tools/list").length === 1 ? SCHEMA : { type: "object", required: ["celsius"] },
          },
        ],
      }),
      "tools/call": { content: [], structuredContent: { celsius: 3 } },
    });
    const client = await connect(server.channel);
    await client.listTools();
    await expect(client.callTool("weather")).resolves.toMatchObject({ structuredContent: { celsius: 3 } });
    expect(server.requests("tools/call")).toHaveLength(1);
    expect(server.requests("tools/list")).toHaveLength(2);
    await client.close();
  });

  test("is not judged by what was listed before the server announced a change", async () => {
    const { server, client } = await connected({ content: [], structuredContent: {} });
    await client.listTools();
    server.notify("notifications/tools/list_changed");
    await client.discover();
    await expect(client.callTool("weather")).resolves.toMatchObject({ structuredContent: {} });
    await client.close();
  });
});

describe("a schema that cannot be used", () => {
  test.each([
    [{ $ref: "https://example.com/schema.json" }],
    [{ $schema: "https://example.com/dialect" }],
    [{ type: "object", properties: { a: { pattern: "(" } } }],
  ])("%j is found out before the tool is called", async (schema) => {
    const { server, client } = await connected({ content: [] }, {}, schema);
    await client.listTools();
    await expect(client.callTool("weather")).rejects.toMatchObject({
      code: "INVALID_RESULT",
      message: expect.stringContaining("cannot be used") as string,
    });
    expect(server.requests("tools/call")).toHaveLength(0);
    await client.close();
  });

  test("a hostile pattern cannot hang the client", async () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    const { client } = await connected({ content: [], structuredContent: { a: `${"a".repeat(5000)}!` } }, {}, schema);
    await client.listTools();
    await expect(client.callTool("weather")).rejects.toMatchObject({ code: "INVALID_RESULT" });
    await client.close();
  });
});

test("a schema that takes too much work to check by is not asked for again", async () => {
  const $defs: Record<string, object> = { a40: { type: "string" } };
  for (let level = 0; level < 40; level++) {
    const next = { $ref: `#/$defs/a${level + 1}` };
    $defs[`a${level}`] = { anyOf: [next, next] };
  }
  const schema = { type: "object", $defs, properties: { v: { $ref: "#/$defs/a0" } } };
  const { server, client } = await connected({ content: [], structuredContent: { v: 1 } }, {}, schema);
  await client.listTools();
  await expect(client.callTool("weather")).rejects.toMatchObject({
    code: "INVALID_RESULT",
    message: expect.stringContaining("takes too long to check") as string,
  });
  expect(server.requests("tools/list")).toHaveLength(1);
  await client.close();
});

describe("options", () => {
  test("a tool that was never listed is not checked, nor looked up", async () => {
    const { server, client } = await connected({ content: [], structuredContent: {} });
    await expect(client.callTool("weather")).resolves.toBeDefined();
    expect(server.requests("tools/list")).toHaveLength(0);
    await client.close();
  });

  test('`validate: "always"` looks it up, once', async () => {
    const { server, client } = await connected(
      { content: [], structuredContent: { temperature: 1 } },
      { validate: "always" },
    );
    await Promise.all([client.callTool("weather"), client.callTool("weather")]);
    await client.callTool("weather");
    expect(server.requests("tools/list")).toHaveLength(1);
    await client.close();
  });

  test("`validate: false` believes the server", async () => {
    const { client } = await connected({ content: [], structuredContent: {} }, { validate: false });
    await client.listTools();
    await expect(client.callTool("weather")).resolves.toBeDefined();
    await client.close();
  });

  test("a validator of one's own is used, and compiles each schema once", async () => {
    let compiled = 0;
    const validator: SchemaValidator = {
      compile() {
        compiled++;
        return () => ({ ok: false, issues: [{ path: "x", kind: "other", message: "not today" }] });
      },
    };
    const { client } = await connected({ content: [], structuredContent: {} }, { validator });
    await client.listTools();
    await expect(client.callTool("weather")).rejects.toThrow("structuredContent.x: not today");
    expect(compiled).toBe(1);
    await client.close();
  });
});

describe("`validate` of a single call, over HTTP", () => {
  /** Some schemas that a server can list cannot be used, and some never match. */
  const OUTPUT_SCHEMAS: Readonly<Record<string, object>> = {
    sound: SCHEMA,
    never_met: { type: "object", required: ["humidity"] },
    draft_04: { $schema: "http://json-schema.org/draft-04/schema#", type: "object" },
    to_nowhere: { $ref: "#/$defs/nowhere" },
    too_large: { type: "object", description: "x".repeat(2_000_000) },
  };

  async function connectedByHttp(options: ClientOptions = {}) {
    const { url, seen } = await listen(({ message }, response) => {
      const results: Readonly<Record<string, object>> = {
        "server/discover": { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
        "tools/list": {
          resultType: "complete",
          tools: Object.entries(OUTPUT_SCHEMAS).map(([name, outputSchema]) => {
            return { name, inputSchema: { type: "object" }, outputSchema };
          }),
        },
        "tools/call": { resultType: "complete", content: [], structuredContent: { temperature: 3 } },
      };
      sendJson(response, { jsonrpc: "2.0", id: message!.id, result: results[message!.method!] });
    });
    const client = await connect(url, { onDiagnostic: () => {}, ...options });
    onTestFinished(() => client.close());
    const methods = (): unknown[] => seen.map(({ message }) => message?.method);
    return { client, methods };
  }

  test.each(["never_met", "draft_04", "to_nowhere", "too_large"])(
    "lets %s be called, as the error says that it was refused with, and others be checked",
    async (name) => {
      const { client } = await connectedByHttp();
      await client.listTools();
      const refusal = { code: "INVALID_RESULT", message: expect.stringContaining("{ validate: false }") as string };
      await expect(client.callTool(name)).rejects.toMatchObject(refusal);
      await expect(client.callTool(name, {}, { validate: false })).resolves.toMatchObject({
        structuredContent: { temperature: 3 },
      });
      await expect(client.callTool(name, {}, { timeout: 20_000 })).rejects.toMatchObject(refusal);
      await expect(client.callTool("sound")).resolves.toBeDefined();
    },
  );

  test("needs no list, also where all other calls do", async () => {
    const { client, methods } = await connectedByHttp({ validate: "always" });
    await client.callTool("draft_04", {}, { validate: false });
    expect(methods()).toEqual(["server/discover", "tools/call"]);
    await expect(client.callTool("never_met")).rejects.toMatchObject({ code: "INVALID_RESULT" });
  });

  test("checks where no other call does", async () => {
    const { client, methods } = await connectedByHttp({ validate: false });
    await expect(client.callTool("never_met", {}, { validate: "always" })).rejects.toThrow("humidity");
    expect(methods()).toEqual(["server/discover", "tools/list", "tools/call", "tools/list"]);
    await expect(client.callTool("never_met", {}, { validate: true })).rejects.toThrow("humidity");
    await expect(client.callTool("never_met")).resolves.toBeDefined();
  });
});
