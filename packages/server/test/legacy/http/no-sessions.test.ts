import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, prompt, resource, tool, type Server } from "../../../src/index.ts";
import { BOTH, initialize, LegacyClient, post, readJson, type Seen } from "../../bindings/http/client.ts";
import { PLATFORMS, type Target } from "../../bindings/http/platforms.ts";

function createAsking(): Server {
  return createServer({
    name: "asking",
    version: "1",
    onDiagnostic() {},
    tools: {
      elicit: tool({
        run: async (_args, ctx) => {
          const { name } = await ctx.elicit("name", { message: "Name?", schema: z.object({ name: z.string() }) });
          return name;
        },
      }),
      sample: tool({
        run: async (_args, ctx) => (await ctx.sample("thought", { messages: [], maxTokens: 1 })).model,
      }),
      roots: tool({ run: async (_args, ctx) => `${(await ctx.roots()).length} roots` }),
      once: tool({ run: (_args, ctx) => ctx.once("it", () => "done") }),
    },
    resources: { r: resource({ uri: "a://r", read: () => "" }) },
    prompts: { p: prompt({ arguments: { x: { complete: () => [] } }, get: () => "" }) },
    experimental: { "example.com/x": {} },
  });
}

/** Posts a request of a client that has shaken hands, and got no session. */
async function request(target: Target, method: string, params: object = {}): Promise<Seen> {
  const headers = { accept: BOTH, "mcp-protocol-version": "2025-11-25" };
  return readJson(await target.send(post({ jsonrpc: "2.0", id: 2, method, params }, headers)));
}

describe.each(PLATFORMS)("a legacy client without a session, on $name", ({ start }) => {
  test("is promised what it will get, and nothing else", async () => {
    const target = await start(createAsking(), { legacy: { sessions: false } });
    const response = await target.send(post(initialize(), { accept: BOTH }));
    expect((await readJson(response)).result?.["capabilities"]).toStrictEqual({
      tools: {},
      resources: {},
      prompts: {},
      completions: {},
      experimental: { "example.com/x": {} },
    });
  });

  test("is promised everything where there are sessions", async () => {
    const target = await start(createAsking());
    const response = await target.send(post(initialize(), { accept: BOTH }));
    expect((await readJson(response)).result?.["capabilities"]).toMatchObject({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      logging: {},
    });
  });

  test.each([
    ["resources/subscribe", { uri: "a://r" }],
    ["resources/unsubscribe", { uri: "a://r" }],
    ["logging/setLevel", { level: "debug" }],
  ])("is refused %s, of which nothing would come", async (method, params) => {
    for (const options of [{ legacy: { sessions: false } } as const, {}]) {
      const target = await start(createAsking(), options);
      const { error } = await request(target, method, params);
      expect(error).toMatchObject({
        code: -32601,
        message: expect.stringMatching(/session.*`initialize`.*`legacy.sessions`/),
      });
    }
    const target = await start(createAsking());
    const client = await LegacyClient.open(target);
    expect((await readJson(await client.request(method, params))).result).toStrictEqual({});
  });

  test.each(["elicit", "sample", "roots"])("cannot be asked (%s), and the reason is the true one", async (name) => {
    const target = await start(createAsking(), { legacy: { sessions: false } });
    await (await target.send(post(initialize(), { accept: BOTH }))).text();
    const { error } = await request(target, "tools/call", { name });
    expect(error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/session.*`initialize`.*`legacy.sessions`/),
    });
    expect(error?.message).not.toContain("declared");
  });

  test("is served by tools that do something once, which takes no answer", async () => {
    const target = await start(createAsking(), { legacy: { sessions: false } });
    const { result } = await request(target, "tools/call", { name: "once" });
    expect(result?.["content"]).toStrictEqual([{ type: "text", text: "done" }]);
  });
});
