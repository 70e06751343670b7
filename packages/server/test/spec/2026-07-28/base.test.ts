/** basic/index and basic/versioning of 2026-07-28, as far as they concern servers on every binding. */
import { MetaKey, RpcError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, tool } from "../../../src/index.ts";
import { LegacyClient, ModernClient, WireClient, type Json } from "../../wire-client.ts";

const server = createServer({
  name: "base",
  version: "1.2.3",
  title: "Base",
  tools: {
    echo: tool({ input: z.object({ text: z.string() }), run: ({ text }) => text }),
    sees: tool({
      run: (_args, ctx) =>
        JSON.stringify({ revision: ctx.revision, era: ctx.era, info: ctx.clientInfo, can: ctx.clientCapabilities }),
    }),
    refuses: tool({
      input: z.object({ code: z.number() }),
      run({ code }) {
        throw new RpcError(code, "As you like", { data: 7 });
      },
    }),
    asks: tool({
      run: async (_args, ctx) => (await ctx.elicit("n", { message: "?", schema: z.object({ name: z.string() }) })).name,
    }),
    samples: tool({ run: async (_args, ctx) => (await ctx.sample("s", { messages: [], maxTokens: 1 })).model }),
  },
});

describe("responses", () => {
  test("MUST include the same id as the request, string or number", async () => {
    const client = new ModernClient(server);
    for (const id of [0, -7, 9_007_199_254_740_991, "", "a string", "1"]) {
      await client.start("tools/list", {}, id).response;
      expect(client.received.at(-1)).toMatchObject({ id });
    }
  });

  test("MUST include a resultType", async () => {
    const client = new ModernClient(server);
    for (const [method, params] of [
      ["server/discover", {}],
      ["tools/list", {}],
      ["tools/call", { name: "echo", arguments: { text: "a" } }],
    ] as const) {
      expect(await client.request(method, params)).toMatchObject({ resultType: "complete" });
    }
  });

  test("errors MUST carry the id, an integer code and a message", async () => {
    const client = new ModernClient(server);
    await expect(client.start("no/such", {}, "x").response).rejects.toMatchObject({ code: -32601 });
    expect(client.received.at(-1)).toStrictEqual({
      jsonrpc: "2.0",
      id: "x",
      error: { code: -32601, message: "Method not found: no/such" },
    });
  });
});

describe("messages", () => {
  test.each([
    ["no JSON", '{"jsonrpc":"2.0",', -32700, undefined],
    ["no JSON-RPC", '{"method":"tools/list","id":77}', -32600, 77],
    ["a request with the id null", '{"jsonrpc":"2.0","method":"tools/list","id":null}', -32600, undefined],
    ["a request whose id is a fraction", '{"jsonrpc":"2.0","method":"tools/list","id":1.5}', -32600, undefined],
    ["a list of requests", '[{"jsonrpc":"2.0","method":"tools/list","id":1}]', -32600, undefined],
  ])("MUST follow JSON-RPC 2.0: %s is refused, and the connection goes on", async (_what, text, code, id) => {
    const client = new ModernClient(server);
    client.sendText(text);
    await client.request("tools/list");
    const [refusal] = client.received as Json[];
    expect([refusal.error.code, refusal.id]).toStrictEqual([code, id]);
  });

  test("a notification MUST NOT be answered, whatever is in it", async () => {
    const client = new ModernClient(server);
    client.notify("notifications/no_such_thing", { _meta: client.meta() });
    client.notify("tools/call", { name: "sees", _meta: client.meta() });
    client.notify("server/discover");
    await client.request("tools/list");
    expect(client.received).toHaveLength(1);
  });

  test("an id that awaits its response MUST NOT be used again: the second request is refused", async () => {
    const client = new ModernClient(server);
    client.start("subscriptions/listen", { notifications: {} }, "same");
    client.send({ jsonrpc: "2.0", id: "same", method: "tools/list", params: { _meta: client.meta() } });
    await client.request("tools/list");
    expect(client.received.filter((message) => "error" in message)).toMatchObject([{ error: { code: -32600 } }]);
  });
});

describe("error codes", () => {
  test.each([-32_023, -32_042, -32_050, -32_099])(
    "numbers that the specification keeps for itself MUST NOT be sent: %i becomes -32603",
    async (code) => {
      await expect(new ModernClient(server).callTool("refuses", { code })).rejects.toMatchObject({
        code: -32603,
        message: "As you like",
        data: 7,
      });
    },
  );

  test("-32002 MUST NOT be sent any more: it becomes -32602", async () => {
    await expect(new ModernClient(server).callTool("refuses", { code: -32_002 })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test.each([-32_600, -32_603, -32_100, -1, 0, 1000])(
    "all other codes are the handler's to choose: %i",
    async (code) => {
      await expect(new ModernClient(server).callTool("refuses", { code })).rejects.toMatchObject({ code, data: 7 });
    },
  );
});

describe("statelessness", () => {
  test("servers SHOULD NOT require the same connection for related requests", async () => {
    const capabilities = { elicitation: {} };
    const { requestState } = await new ModernClient(server, { capabilities }).callTool("asks");
    const inputResponses = { n: { action: "accept", content: { name: "Al" } } };
    const retry = { requestState, inputResponses };
    expect(await new ModernClient(server, { capabilities }).callTool("asks", undefined, retry)).toMatchObject({
      content: [{ text: "Al" }],
    });
  });

  test("servers SHOULD be prepared for requests of several conversations on one connection", async () => {
    const client = new ModernClient(server);
    const names = Array.from({ length: 20 }, (_, n) => `client ${n}`);
    const seen = await Promise.all(
      names.map(async (name) => {
        const _meta = { [MetaKey.ClientInfo]: { name, version: "1" } };
        const result = await client.request("tools/call", { name: "sees", _meta });
        return JSON.parse(result.content[0].text).info.name;
      }),
    );
    expect(seen).toStrictEqual(names);
  });

  test("servers MUST NOT rely on prior requests: each is served by its own metadata", async () => {
    const client = new ModernClient(server);
    const seen = async (capabilities: object): Promise<unknown> => {
      const result = await client.request("tools/call", {
        name: "sees",
        _meta: { [MetaKey.ClientCapabilities]: capabilities },
      });
      return JSON.parse(result.content[0].text).can;
    };
    expect(await seen({ sampling: {} })).toStrictEqual({ sampling: {} });
    expect(await seen({})).toStrictEqual({});
  });

  test("an initialize handshake on the same connection means nothing to a modern request", async () => {
    const client = await LegacyClient.open(server, { capabilities: { sampling: {} } });
    const meta = new ModernClient(server).meta();
    client.revision = "2026-07-28";
    const result = await client.request("tools/call", { name: "sees", _meta: meta });
    expect(JSON.parse(result.content[0].text)).toMatchObject({ revision: "2026-07-28", era: "modern", can: {} });
  });
});

describe("per-request metadata", () => {
  const meta = new ModernClient(server).meta() as Record<string, unknown>;
  const without = (key: string): object => Object.fromEntries(Object.entries(meta).filter(([name]) => name !== key));

  test.each(["server/discover", "subscriptions/listen"])(
    "%s without any _meta MUST be rejected with -32602",
    async (method) => {
      const client = new WireClient(server, "2026-07-28");
      await expect(client.request(method)).rejects.toMatchObject({ code: -32602 });
      await expect(client.request(method, {})).rejects.toMatchObject({ code: -32602 });
      await expect(client.request(method, { _meta: {} })).rejects.toMatchObject({ code: -32602 });
    },
  );

  test("a request without protocolVersion MUST be rejected with -32602", async () => {
    const client = new WireClient(server, "2026-07-28");
    for (const method of ["server/discover", "tools/list"]) {
      await expect(client.request(method, { _meta: without(MetaKey.ProtocolVersion) })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining("protocolVersion"),
      });
    }
  });

  test("a request without clientCapabilities MUST be rejected with -32602", async () => {
    const client = new WireClient(server, "2026-07-28");
    await expect(client.request("tools/list", { _meta: without(MetaKey.ClientCapabilities) })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("clientCapabilities"),
    });
  });

  test("clientInfo may be absent", async () => {
    const client = new WireClient(server, "2026-07-28");
    const result = await client.request("tools/call", { name: "sees", _meta: without(MetaKey.ClientInfo) });
    expect(JSON.parse(result.content[0].text).info).toBeUndefined();
  });

  test("metadata of the wrong kind is rejected with -32602, whatever it is", async () => {
    const client = new WireClient(server, "2026-07-28");
    for (const [key, value] of [
      [MetaKey.ProtocolVersion, 20260728],
      [MetaKey.ClientCapabilities, []],
      [MetaKey.ClientCapabilities, { sampling: true }],
      [MetaKey.ClientInfo, "me"],
      [MetaKey.LogLevel, "loud"],
      [MetaKey.ProgressToken, 1.5],
    ] as const) {
      await expect(client.request("tools/list", { _meta: { ...meta, [key]: value } })).rejects.toMatchObject({
        code: -32602,
      });
    }
    await expect(client.request("server/discover", { _meta: [] })).rejects.toMatchObject({ code: -32602 });
  });

  test("a capability that was not declared MUST yield -32021 with the missing capabilities", async () => {
    const client = new ModernClient(server);
    await expect(client.callTool("samples")).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    });
  });

  test("every result SHOULD carry serverInfo: all of it in discovery, name and version elsewhere", async () => {
    const client = new ModernClient(server);
    const info = { name: "base", version: "1.2.3" };
    for (const [method, params, expected] of [
      ["server/discover", {}, { ...info, title: "Base" }],
      ["tools/list", {}, info],
      ["tools/call", { name: "echo", arguments: { text: "a" } }, info],
    ] as const) {
      const result = await client.request(method, params);
      expect(result._meta[MetaKey.ServerInfo]).toStrictEqual(expected);
    }
  });

  test("clientInfo SHOULD NOT change what the server does", async () => {
    const client = new ModernClient(server);
    const usual = await client.request("tools/list");
    for (const info of [
      { name: "root", version: "1" },
      { name: "toolwire", version: "0", title: "Admin" },
    ]) {
      expect(await client.request("tools/list", { _meta: { [MetaKey.ClientInfo]: info } })).toStrictEqual(usual);
    }
  });

  test("nothing MUST be assumed of other metadata: unknown keys change nothing", async () => {
    const client = new ModernClient(server);
    const _meta = { "com.example/x": [1], "io.modelcontextprotocol/other": false, traceparent: "nonsense" };
    const [plain, adorned] = [await client.callTool("sees"), await client.callTool("sees", {}, { _meta })];
    expect(adorned).toStrictEqual(plain);
  });

  test("serverInfo can be switched off", async () => {
    const quiet = createServer({ name: "quiet", version: "1", serverInfo: false, tools: {} });
    const client = new ModernClient(quiet);
    expect(await client.request("server/discover")).not.toHaveProperty("_meta");
    expect(await client.request("tools/list")).not.toHaveProperty("_meta");
  });
});

describe("version negotiation", () => {
  test("servers MUST implement server/discover, even those that have nothing to offer", async () => {
    const client = new ModernClient(createServer({ name: "nothing", version: "1", logging: false }));
    expect(await client.request("server/discover")).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      capabilities: {},
    });
  });

  test("a version that the server does not implement MUST yield -32022 with those it does", async () => {
    const client = new ModernClient(server, { version: "1900-01-01" });
    await expect(client.request("tools/list")).rejects.toMatchObject({
      code: -32022,
      data: {
        requested: "1900-01-01",
        supported: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      },
    });
  });

  test("the version is judged before the rest, which may look different in it", async () => {
    const client = new WireClient(server, "2026-07-28");
    await expect(
      client.request("tools/list", { _meta: { [MetaKey.ProtocolVersion]: "2199-01-01" } }),
    ).rejects.toMatchObject({
      code: -32022,
    });
  });

  test("a known version that the server was told not to speak is refused as well", async () => {
    const modern = createServer({ name: "m", version: "1", revisions: ["2025-06-18"], tools: {} });
    const client = new ModernClient(modern);
    await expect(client.request("tools/list")).rejects.toMatchObject({
      code: -32022,
      data: { supported: ["2025-06-18"] },
    });
  });

  test("a version with a handshake cannot be had by metadata, and is not offered again", async () => {
    const client = new ModernClient(server, { version: "2025-11-25" });
    await expect(client.request("tools/list")).rejects.toMatchObject({
      code: -32022,
      data: { requested: "2025-11-25", supported: ["2026-07-28"] },
    });
  });

  test.each(["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"])(
    "%s is gone, and yields -32601 when asked for in this revision",
    async (method) => {
      const client = new ModernClient(server);
      await expect(client.request(method, { uri: "a://b", level: "info" })).rejects.toMatchObject({ code: -32601 });
    },
  );

  test("a server that only speaks modern versions SHOULD name them in its answer to initialize", async () => {
    const modern = createServer({ name: "m", version: "1", revisions: ["2026-07-28"], tools: {} });
    const client = new WireClient(modern, "2025-11-25");
    const params = { protocolVersion: "2025-11-25", clientInfo: { name: "c", version: "1" }, capabilities: {} };
    await expect(client.request("initialize", params)).rejects.toMatchObject({
      message: expect.stringContaining("2026-07-28"),
      data: { supported: ["2026-07-28"], requested: "2025-11-25" },
    });
    await expect(client.request("tools/list")).rejects.toMatchObject({ code: -32602 });
  });

  test("a dual-era server serves both eras on one connection", async () => {
    const client = await LegacyClient.open(server);
    expect(await client.request("tools/list")).not.toHaveProperty("resultType");
    client.revision = "2026-07-28";
    expect(await client.request("tools/list", { _meta: new ModernClient(server).meta() })).toHaveProperty("resultType");
    client.revision = "2025-11-25";
    expect(await client.request("ping")).toStrictEqual({});
  });
});

describe("extensions", () => {
  test("are advertised in the capabilities", async () => {
    const extended = createServer({
      name: "x",
      version: "1",
      extensions: [{ id: "com.example/thing", settings: { a: 1 } }],
    });
    const { capabilities } = await new ModernClient(extended).request("server/discover");
    expect(capabilities.extensions).toStrictEqual({ "com.example/thing": { a: 1 } });
  });

  test.each(["thing", "", "/thing", "com.example", "-com.example/thing", "com..example/x", "com.example/-x", "a b/c"])(
    "the names of extensions MUST be those of metadata, with a prefix: %j is refused",
    (name) => {
      expect(() => createServer({ name: "x", version: "1", extensions: [{ id: name }] })).toThrow(
        expect.objectContaining({ code: "INVALID_DEFINITION", message: expect.stringContaining("com.example/thing") }),
      );
    },
  );

  test.each(["com.example/thing", "example/x", "io.modelcontextprotocol/ui", "a-b.c1/x_y.z-0", "com.example/"])(
    "%j can be the name of one",
    (name) => {
      expect(createServer({ name: "x", version: "1", extensions: [{ id: name }] }).name).toBe("x");
    },
  );

  test("an extension that only the client supports MUST NOT change the core protocol", async () => {
    const capabilities = { extensions: { "com.example/unheard-of": { a: 1 } } };
    const client = new ModernClient(server, { capabilities });
    expect(await client.callTool("echo", { text: "a" })).toStrictEqual(
      await new ModernClient(server).callTool("echo", { text: "a" }),
    );
  });
});
