/** basic/index, basic/versioning and server/discover of 2026-07-28. */
import { connect, type ClientOptions } from "@toolwire/client";
import { MetaKey, RpcError, type Message } from "@toolwire/protocol";
import { readFile } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../../transports/http/listen.ts";
import { EVERYTHING, isCall, modernServer, SILENCE, type Script } from "../../scripted-server.ts";

const DISCOVERY = { supportedVersions: ["2026-07-28"], capabilities: EVERYTHING };

async function connected(script: Script, options: ClientOptions = {}) {
  const server = modernServer(script);
  const client = await connect(server.channel, { onDiagnostic: () => {}, ...options });
  onTestFinished(() => client.close());
  return { server, client };
}

describe("requests", () => {
  test("MUST have a string or an integer as id, and notifications MUST NOT have one", async () => {
    const { server, client } = await connected({ "tools/call": () => SILENCE, "tools/list": { tools: [] } });
    const abort = new AbortController();
    const call = client.callTool("t", {}, { signal: abort.signal });
    await client.listTools();
    await client.notify("notifications/example");
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await server.arrival(isCall("notifications/cancelled"));
    for (const message of server.received as (Message & { method: string; id?: unknown })[]) {
      if (message.method.startsWith("notifications/")) expect(message).not.toHaveProperty("id");
      else expect(Number.isInteger(message.id)).toBe(true);
    }
  });
});

describe("results", () => {
  test.each(["task", "input_required", "", 7, null])(
    "a resultType that is not known MUST be considered invalid for server/discover: %j",
    async (resultType) => {
      const server = modernServer({ "server/discover": { ...DISCOVERY, resultType } });
      await expect(connect(server.channel, { era: "modern" })).rejects.toMatchObject({
        cause: { code: "INVALID_RESULT" },
      });
    },
  );

  test("a resultType that is not known MUST be considered invalid for subscriptions/listen, which then has not ended gracefully", async () => {
    const { client } = await connected({
      "subscriptions/listen": (_, { id }, { notify }) => {
        notify("notifications/subscriptions/acknowledged", {
          notifications: {},
          _meta: { [MetaKey.SubscriptionId]: id },
        });
        return { resultType: "task" };
      },
    });
    const subscription = await client.subscribe({ tools: true }, () => {});
    await expect(subscription.closed).resolves.toMatchObject({ code: "INVALID_RESULT" });
  });
});

test.each([-32000, -32001, -32019])(
  "receivers MUST NOT assume a meaning of legacy codes: %i is the caller's to read, and nothing is sent again",
  async (code) => {
    const { server, client } = await connected({
      "tools/call": () => {
        throw new RpcError(code, "whatever that is", { data: { detail: 1 } });
      },
    });
    await expect(client.callTool("t")).rejects.toMatchObject({
      code,
      message: "whatever that is",
      data: { detail: 1 },
    });
    expect(server.received.map((message) => "method" in message && message.method)).toEqual([
      "server/discover",
      "tools/call",
    ]);
  },
);

describe("metadata", () => {
  test("nothing MUST be assumed of the values of reserved keys in what servers send", async () => {
    const _meta = { [MetaKey.ServerInfo]: 7, [MetaKey.SubscriptionId]: {}, progressToken: [], traceparent: false };
    const { server, client } = await connected({
      "server/discover": { ...DISCOVERY, _meta },
      "tools/call": { content: [], _meta },
    });
    expect(client.server).toBeUndefined();
    server.notify("notifications/tools/list_changed", { _meta });
    server.notify("notifications/progress", { _meta, progressToken: _meta });
    await expect(client.callTool("t")).resolves.toEqual({ content: [], _meta });
  });

  test("serverInfo SHOULD NOT change what the client does", async () => {
    const conversations = [];
    for (const info of [undefined, { name: "a", version: "1" }, { name: "everything", version: "0.0.0-broken" }]) {
      const { server, client } = await connected({
        "server/discover": { ...DISCOVERY, ...(info && { _meta: { [MetaKey.ServerInfo]: info } }) },
        "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }], ttlMs: 1000 },
        "tools/call": { content: [] },
      });
      await client.listTools();
      await client.callTool("t", { a: 1 });
      conversations.push(server.received);
    }
    expect(conversations[1]).toEqual(conversations[0]);
    expect(conversations[2]).toEqual(conversations[0]);
  });
});

describe("JSON Schema", () => {
  const tool = (name: string, outputSchema: object) => ({ name, inputSchema: { type: "object" }, outputSchema });
  const PAIR = [{ type: "string" }, { type: "number" }];

  test("2020-12 MUST be the default, and others be validated as they declare", async () => {
    const { client } = await connected({
      "tools/list": {
        tools: [
          tool("default", { type: "array", prefixItems: PAIR }),
          tool("draft-07", { $schema: "http://json-schema.org/draft-07/schema#", type: "array", items: PAIR }),
        ],
      },
      "tools/call": (params) => ({ content: [], structuredContent: (params["arguments"] as { pair: unknown }).pair }),
    });
    await client.listTools();
    for (const name of ["default", "draft-07"]) {
      await expect(client.callTool(name, { pair: ["a", 1] })).resolves.toBeDefined();
      await expect(client.callTool(name, { pair: [1, "a"] })).rejects.toMatchObject({ code: "INVALID_RESULT" });
    }
  });

  test("a dialect that is not supported MUST yield an error that says so", async () => {
    const { server, client } = await connected({
      "tools/list": { tools: [tool("t", { $schema: "https://example.com/my-dialect" })] },
    });
    await client.listTools();
    await expect(client.callTool("t")).rejects.toThrow("https://example.com/my-dialect");
    expect(server.requests("tools/call")).toEqual([]);
  });

  test("the dialects that are understood SHOULD be documented", async () => {
    const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
    for (const dialect of ["2020-12", "2019-09", "draft-07"]) expect(readme).toContain(dialect);
  });

  test("references to the network MUST NOT be followed, and schemas that have them SHOULD be rejected", async () => {
    const { url, seen } = await listen((_, response) => response.end('{"type":"object"}'));
    const { server, client } = await connected({ "tools/list": { tools: [tool("t", { $ref: url })] } });
    await client.listTools();
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "INVALID_RESULT" });
    expect(server.requests("tools/call")).toEqual([]);
    expect(seen).toEqual([]);
  });
});

describe("extensions", () => {
  test("are declared with each request", async () => {
    const extensions = { "com.example/thing": { a: 1 } };
    const { server, client } = await connected({ "tools/call": { content: [] } }, { capabilities: { extensions } });
    await client.callTool("t");
    for (const { params } of [...server.requests("server/discover"), ...server.requests("tools/call")]) {
      expect(params).toMatchObject({ _meta: { [MetaKey.ClientCapabilities]: { extensions } } });
    }
  });

  test("the client MUST keep to the core protocol with a server that has not the extension it supports", async () => {
    const { client } = await connected({ "tools/call": { resultType: "complete", content: [] } });
    const understood = { resultTypes: ["task"] };
    await expect(client.request("tools/call", { name: "t" }, understood)).resolves.toMatchObject({ content: [] });
  });
});
