/** basic/index of 2025-11-25: the shape of messages, JSON Schema, and `_meta`. */
import { RpcError } from "@toolwire/protocol";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { connected } from "./connected.ts";

describe("messages", () => {
  test("requests MUST have a string or an integer as id, which MUST NOT have been used in the session", async () => {
    const { server, client } = await connected({ "tools/call": { content: [] } });
    await Promise.all(Array.from({ length: 20 }, () => client.callTool("t")));
    await client.ping();
    const ids = server.received.flatMap((message) => ("method" in message && "id" in message ? [message.id] : []));
    expect(ids).toHaveLength(22);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(typeof id === "string" || Number.isSafeInteger(id)).toBe(true);
  });

  test.each([0, -7, 9_007_199_254_740_991, "", "a string", "1"])(
    "results MUST carry the id of their request, and a result: %j",
    async (id) => {
      const { server } = await connected({}, { roots: [] });
      server.send({ jsonrpc: "2.0", id, method: "roots/list" });
      const answer = await server.arrival((message) => !("method" in message));
      expect(answer).toStrictEqual({ jsonrpc: "2.0", id, result: { roots: [] } });
    },
  );

  test("a result MUST be in a result: what a handler does not return is an error", async () => {
    const { server } = await connected({}, { sampling: () => undefined as never });
    expect(await server.push("sampling/createMessage", { messages: [], maxTokens: 1 })).toStrictEqual({
      jsonrpc: "2.0",
      id: "push-1",
      error: { code: -32603, message: "Internal error" },
    });
  });

  test("errors MUST carry the id of their request, an integer code and a message", async () => {
    const { server } = await connected(
      {},
      {
        sampling: () => {
          throw new RpcError(-1, "User rejected sampling request");
        },
        roots: () => {
          throw new RpcError(Number.NaN, "No roots today");
        },
      },
    );
    expect(await server.push("no/such")).toStrictEqual({
      jsonrpc: "2.0",
      id: "push-1",
      error: { code: -32601, message: "Method not found: no/such" },
    });
    expect(await server.push("sampling/createMessage", { messages: [], maxTokens: 1 })).toStrictEqual({
      jsonrpc: "2.0",
      id: "push-2",
      error: { code: -1, message: "User rejected sampling request" },
    });
    expect(await server.push("roots/list")).toStrictEqual({
      jsonrpc: "2.0",
      id: "push-3",
      error: { code: -32603, message: "No roots today" },
    });
  });

  test("a notification MUST NOT be answered, whatever is in it", async () => {
    let asked = 0;
    const { server } = await connected({}, { roots: () => (asked++, []) });
    const before = server.received.length;
    for (const method of ["ping", "roots/list", "notifications/no_such_thing", "initialize"]) server.notify(method, {});
    await server.push("ping");
    expect(server.received.slice(before)).toHaveLength(1);
    expect(asked).toBe(0);
  });

  test("notifications of the client MUST NOT have an id", async () => {
    const { server, client } = await connected({}, { roots: [] });
    await client.rootsChanged();
    await client.notify("notifications/example", { a: 1 });
    const sent = server.received.filter(
      (message) => "method" in message && message.method.startsWith("notifications/"),
    );
    expect(sent).toStrictEqual([
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
      { jsonrpc: "2.0", method: "notifications/example", params: { a: 1 } },
    ]);
  });
});

describe("JSON Schema", () => {
  /** Calls a tool that promises its result by this schema. */
  async function callListed(outputSchema: object, structuredContent: object): Promise<unknown> {
    const { client } = await connected({
      "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] },
      "tools/call": { content: [], structuredContent },
    });
    await client.listTools();
    return client.callTool("t");
  }

  const pair = (keywords: object): object => ({ type: "object", properties: { pair: keywords } });
  const newer = pair({ prefixItems: [{ type: "string" }], items: false });
  const older = pair({ items: [{ type: "string" }], additionalItems: false });

  test("schemas without $schema MUST be read as 2020-12", async () => {
    await expect(callListed(newer, { pair: ["a"] })).resolves.toBeDefined();
    await expect(callListed(newer, { pair: ["a", "b"] })).rejects.toMatchObject({ code: "INVALID_RESULT" });
  });

  test("schemas MUST be read in the dialect that they declare", async () => {
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", ...older };
    await expect(callListed(schema, { pair: ["a"] })).resolves.toBeDefined();
    await expect(callListed(schema, { pair: ["a", "b"] })).rejects.toMatchObject({ code: "INVALID_RESULT" });
  });

  test("a dialect that is not supported MUST lead to an error that says so", async () => {
    const schema = { $schema: "https://example.com/dialect", ...newer };
    await expect(callListed(schema, { pair: ["a"] })).rejects.toThrow(/https:\/\/example\.com\/dialect/);
  });

  test("the dialects that are understood SHOULD be documented", async () => {
    const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
    for (const dialect of ["2020-12", "2019-09", "draft-07"]) expect(readme).toContain(dialect);
  });
});

test("nothing MUST be assumed of metadata: unknown keys and values change nothing", async () => {
  const heard: string[] = [];
  const _meta = {
    "io.modelcontextprotocol/subscriptionId": { deep: [1] },
    "io.modelcontextprotocol/serverInfo": false,
    "io.modelcontextprotocol/protocolVersion": 5,
    "com.example/x": null,
    progressToken: [],
  };
  const { server, client } = await connected(
    { "tools/call": { content: [], _meta } },
    { roots: [], onNotification: ({ method }) => heard.push(method) },
  );
  server.notify("notifications/tools/list_changed", { _meta });
  expect(await server.push("roots/list", { _meta })).toMatchObject({ result: { roots: [] } });
  expect(await client.callTool("t")).toStrictEqual({ content: [], _meta });
  expect(heard).toStrictEqual(["notifications/tools/list_changed"]);
  expect(client.server).toStrictEqual({ name: "legacy", version: "1.0.0" });
});
