/** basic/lifecycle of 2025-11-25: the handshake, what was agreed on, timeouts. */
import { connect, type ConnectOptions } from "@toolwire/client";
import { describe, expect, test } from "vitest";
import { listen, sendJson } from "../../transports/http/listen.ts";
import { isCall, legacyServer, SILENCE } from "../../scripted-server.ts";
import { connected, connectedInTurn, initialized, methodsOf } from "./connected.ts";

describe("initialization", () => {
  test("the initialize request MUST come first, with version, capabilities and information of the client", async () => {
    const info = { name: "tester", title: "The tester", version: "2.0.0", description: "Tests." };
    const { server } = await connected(
      {},
      {
        info,
        roots: [],
        sampling: { createMessage: () => SILENCE as never, tools: true },
        elicitation: { form: () => ({ action: "cancel" }), url: () => ({ action: "cancel" }) },
      },
    );
    expect(server.received[0]).toStrictEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        clientInfo: info,
        capabilities: { roots: { listChanged: true }, sampling: { tools: {} }, elicitation: { form: {}, url: {} } },
      },
    });
  });

  const form = () => ({ action: "cancel" as const });
  const createMessage = () => SILENCE as never;

  test.each<[string, ConnectOptions, object]>([
    ["nothing", {}, {}],
    ["forms", { elicitation: form }, { elicitation: { form: {} } }],
    ["pages", { elicitation: { url: form } }, { elicitation: { url: {} } }],
    ["no mode of elicitation, which is none", { elicitation: {} }, {}],
    ["sampling", { sampling: createMessage }, { sampling: {} }],
    ["sampling with tools", { sampling: { createMessage, tools: true } }, { sampling: { tools: {} } }],
    ["roots", { roots: [] }, { roots: { listChanged: true } }],
  ])("the capabilities that are supported MUST be declared, and nothing else: %s", async (_, options, capabilities) => {
    const { server } = await connected({}, options);
    const { params } = server.requests("initialize")[0]!;
    expect((params as { capabilities: object }).capabilities).toStrictEqual(capabilities);
  });

  test("nothing SHOULD be sent before the server has answered, and `initialized` MUST be next", async () => {
    const slow = legacyServer({
      initialize: async () => {
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
        expect(methodsOf(slow.received)).toStrictEqual(["initialize"]);
        return initialized({ tools: {} });
      },
      "tools/call": { content: [] },
    });
    const first = legacyServer();
    const client = await connectedInTurn([first, slow]);
    first.break(new Error("gone"));
    await client.callTool("t");
    expect(methodsOf(slow.received)).toStrictEqual(["initialize", "notifications/initialized", "tools/call"]);
  });

  test("a version that the client does not support SHOULD end the connection", async () => {
    const { url, seen } = await listen(({ method, message }, response) => {
      if (method === "DELETE") response.writeHead(204).end();
      else {
        const result = { protocolVersion: "2099-01-01", capabilities: {}, serverInfo: { name: "x", version: "1" } };
        sendJson(response, { jsonrpc: "2.0", id: message!.id, result }, 200, { "mcp-session-id": "s1" });
      }
    });
    await expect(connect(url, { era: "legacy", memory: false })).rejects.toMatchObject({ code: "NO_COMMON_REVISION" });
    expect(seen.map(({ method, headers }) => [method, headers["mcp-session-id"]])).toStrictEqual([
      ["POST", undefined],
      ["DELETE", "s1"],
    ]);
  });
});

describe("the agreed version and capabilities", () => {
  test("the version MUST be respected: requests say nothing that only later ones know", async () => {
    const { server, client } = await connected(
      { "tools/call": { content: [] }, "logging/setLevel": {} },
      { logLevel: "debug" },
    );
    await client.callTool("t", { a: 1 }, { onLog: () => {}, logLevel: "error", _meta: { traceparent: "00-1" } });
    expect(server.requests("tools/call").map(({ params }) => params)).toStrictEqual([
      { name: "t", arguments: { a: 1 }, _meta: { traceparent: "00-1" } },
    ]);
    const subscription = await client.subscribe({ tools: true }, () => {});
    expect(subscription.accepted.tools).toBe(true);
    expect(server.requests("subscriptions/listen")).toStrictEqual([]);
  });

  test("only capabilities that were negotiated MUST be used", async () => {
    const { server, client } = await connected({ initialize: initialized({}) }, { logLevel: "info" });
    const unsupported = { code: "UNSUPPORTED" };
    await expect(client.callTool("t")).rejects.toMatchObject(unsupported);
    await expect(client.readResource("a://b")).rejects.toMatchObject(unsupported);
    await expect(client.getPrompt("p")).rejects.toMatchObject(unsupported);
    await expect(client.setLogLevel("info")).rejects.toMatchObject(unsupported);
    await expect(client.rootsChanged()).rejects.toMatchObject(unsupported);
    const ref = { type: "ref/prompt", name: "p" } as const;
    await expect(client.complete(ref, { name: "a", value: "" })).rejects.toMatchObject(unsupported);
    for (const list of [client.listTools(), client.listResources(), client.listResourceTemplates()]) await list;
    await client.listPrompts();
    const { accepted } = await client.subscribe({ tools: true, resources: true, uris: ["a://b"] }, () => {});
    expect(accepted).toStrictEqual({ tools: false, prompts: false, resources: false, uris: [] });
    expect(methodsOf(server.received)).toStrictEqual(["initialize", "notifications/initialized"]);
  });

  test("the capabilities MUST be what the server of today has declared: a log level is kept from one without logs", async () => {
    const first = legacyServer({ "logging/setLevel": {} });
    const second = legacyServer({ initialize: initialized({ tools: {} }), "tools/call": { content: [] } });
    const client = await connectedInTurn([first, second], { logLevel: "info" });
    expect(first.requests("logging/setLevel")).toHaveLength(1);
    first.break(new Error("gone"));
    await client.callTool("t");
    await client.ping();
    expect(second.requests("logging/setLevel")).toStrictEqual([]);
  });
});

describe("timeouts", () => {
  test("a request that is not answered in time SHOULD be cancelled and no longer waited for", async () => {
    const { server, client } = await connected({ "tools/call": () => SILENCE }, { timeout: 20 });
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "TIMEOUT" });
    expect(await server.arrival(isCall("notifications/cancelled"))).toMatchObject({
      params: { requestId: server.requests("tools/call")[0]!.id },
    });
  });

  test("timeouts SHOULD be configurable per request", async () => {
    const { server, client } = await connected({ "tools/call": () => SILENCE });
    await expect(client.callTool("t", {}, { timeout: 20 })).rejects.toMatchObject({ code: "TIMEOUT" });
    await server.arrival(isCall("notifications/cancelled"));
  });
});
