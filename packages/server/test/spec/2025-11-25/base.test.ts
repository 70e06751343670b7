/** basic/index of 2025-11-25: the shape of messages, JSON Schema, and `_meta`. */
import { jsonSchema } from "@toolwire/json-schema";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { createServer, tool } from "../../../src/index.ts";
import { LegacyClient, type Json } from "../../wire-client.ts";

const pair = { type: "object", properties: { pair: { items: [{ type: "string" }], additionalItems: false } } } as const;

const server = createServer({
  name: "base",
  version: "1",
  tools: {
    talks: tool({
      run(_args, ctx) {
        ctx.progress(1);
        ctx.log("error", "x");
        return "done";
      },
    }),
    modern: tool({
      input: jsonSchema<{ pair?: unknown }>({
        type: "object",
        properties: { pair: { prefixItems: [{ type: "string" }], items: false } },
      }),
      run: () => "fits",
    }),
    older: tool({
      input: jsonSchema<{ pair?: unknown }>({ $schema: "http://json-schema.org/draft-07/schema#", ...pair }),
      run: () => "fits",
    }),
  },
});

describe("messages", () => {
  test("results MUST carry the id of their request", async () => {
    const client = await LegacyClient.open(server);
    for (const id of [0, -7, 9_007_199_254_740_991, "", "a string", "1"]) {
      await client.start("ping", undefined, id).response;
      expect(client.received.at(-1)).toStrictEqual({ jsonrpc: "2.0", id, result: {} });
    }
  });

  test("errors MUST carry the id of their request, an integer code and a message", async () => {
    const client = await LegacyClient.open(server);
    for (const id of [3, "x"]) {
      await expect(client.start("no/such", {}, id).response).rejects.toMatchObject({ code: -32601 });
      expect(client.received.at(-1)).toStrictEqual({
        jsonrpc: "2.0",
        id,
        error: { code: -32601, message: "Method not found: no/such" },
      });
    }
  });

  test.each([
    ["no JSON", '{"jsonrpc":"2.0",', -32700],
    ["no JSON-RPC", '{"method":"ping","id":1}', -32600],
    ["JSON-RPC of another version", '{"jsonrpc":"1.0","method":"ping","id":1}', -32600],
    ["a request with the id null", '{"jsonrpc":"2.0","method":"ping","id":null}', -32600],
    ["a request whose id is a fraction", '{"jsonrpc":"2.0","method":"ping","id":1.5}', -32600],
    ["a request whose id is an object", '{"jsonrpc":"2.0","method":"ping","id":{}}', -32600],
    ["a method that is no string", '{"jsonrpc":"2.0","method":5,"id":1}', -32600],
  ])("messages MUST follow JSON-RPC 2.0: %s is refused, and the connection goes on", async (_what, text, code) => {
    const client = await LegacyClient.open(server);
    client.sendText(text);
    expect(await client.request("ping")).toStrictEqual({});
    const [, refusal] = client.received as Json[];
    expect(refusal.error.code).toBe(code);
  });

  test("a notification MUST NOT be answered, whatever is in it", async () => {
    const client = await LegacyClient.open(server);
    client.notify("notifications/roots/list_changed");
    client.notify("notifications/no_such_thing", { a: 1 });
    client.notify("tools/call", { name: "talks" });
    client.notify("ping");
    await client.request("ping");
    expect(client.received.slice(1)).toHaveLength(1);
  });

  test("notifications of the server MUST NOT have an id", async () => {
    const client = await LegacyClient.open(server);
    await client.callTool("talks", {}, { _meta: { progressToken: 1 } });
    const sent = client.received.filter((message) => "method" in message);
    expect(sent).toHaveLength(2);
    for (const message of sent) expect(message).not.toHaveProperty("id");
  });
});

describe("JSON Schema", () => {
  test("schemas without $schema MUST be read as 2020-12", async () => {
    const client = await LegacyClient.open(server);
    expect(await client.callTool("modern", { pair: ["a"] })).not.toHaveProperty("isError");
    expect(await client.callTool("modern", { pair: ["a", "b"] })).toMatchObject({ isError: true });
  });

  test("schemas MUST be read in the dialect that they declare", async () => {
    const client = await LegacyClient.open(server);
    expect(await client.callTool("older", { pair: ["a"] })).not.toHaveProperty("isError");
    expect(await client.callTool("older", { pair: ["a", "b"] })).toMatchObject({ isError: true });
    const [, , listed] = (await client.request("tools/list")).tools;
    expect(listed.inputSchema.$schema).toBe("http://json-schema.org/draft-07/schema#");
  });

  test("the dialects that are understood SHOULD be documented", async () => {
    const readme = await readFile(new URL("../../../../json-schema/README.md", import.meta.url), "utf8");
    for (const dialect of ["2020-12", "2019-09", "draft-07"]) expect(readme).toContain(dialect);
  });
});

test("nothing MUST be assumed of metadata: unknown keys change nothing", async () => {
  const client = await LegacyClient.open(server);
  const _meta = { "com.example/x": { deep: [1] }, "io.modelcontextprotocol/other": false, traceparent: 5 };
  expect(await client.callTool("modern", {}, { _meta })).toStrictEqual(await client.callTool("modern"));
});
