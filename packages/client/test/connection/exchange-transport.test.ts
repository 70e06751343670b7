import { connect, type FormAnswer } from "@toolwire/client";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "@toolwire/protocol";
import { expect, test } from "vitest";
import { exchangeServer, type ExchangeScript } from "../exchange-server.ts";
import { withResolvers } from "../with-resolvers.ts";

const DISCOVERY = { supportedVersions: ["2026-07-28"], capabilities: { tools: { listChanged: true } } };
const MIRRORED = {
  name: "mirrored",
  inputSchema: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
};

function modern(script: ExchangeScript = {}, hasHeaders = true) {
  const server = exchangeServer({
    "server/discover": () => DISCOVERY,
    "tools/list": () => ({ tools: [MIRRORED], ttlMs: 60_000, cacheScope: "public" }),
    "tools/call": () => ({ content: [] }),
    ...script,
  });
  server.hasHeaders = hasHeaders;
  return server;
}

test.each([
  ["with headers gets those that mirror arguments", true, { "Mcp-Param-City": "Oslo" }],
  ["without headers gets none", false, undefined],
])("a transport %s", async (_, hasHeaders, headers) => {
  const server = modern({}, hasHeaders);
  const client = await connect(server);
  await client.listTools();
  await client.callTool("mirrored", { city: "Oslo" });
  expect(server.requests("tools/call").map((call) => call.headers)).toEqual([headers]);
  await client.close();
});

test("over a transport that is one connection, a server that ends a subscription and stays means it", async () => {
  const server = modern(
    {
      "subscriptions/listen"({ request, sink }) {
        const acknowledged: NotificationMessage = {
          jsonrpc: "2.0",
          method: "notifications/subscriptions/acknowledged",
          params: { notifications: { toolsListChanged: true } },
        };
        sink.notification(acknowledged);
        return new Promise((resolve) => setImmediate(resolve, { resultType: "complete", of: request.id }));
      },
    },
    false,
  );
  const client = await connect(server);
  const subscription = await client.subscribe({ tools: true }, () => {});
  expect(await subscription.closed).toBeUndefined();
  expect(server.requests("subscriptions/listen")).toHaveLength(1);
  await client.close();
});

test("a transport can tell that something was missed, and what is kept is asked for anew", async () => {
  const server = modern();
  const client = await connect(server);
  await client.listTools();
  await client.listTools();
  expect(server.requests("tools/list")).toHaveLength(1);
  server.handlers.session?.missed?.();
  await client.listTools();
  expect(server.requests("tools/list")).toHaveLength(2);
  await client.close();
});

test("a transport can tell that the session is gone, and another is begun; and for which call a server asks", async () => {
  const INITIALIZED = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "s", version: "1" },
  };
  const again = withResolvers<void>();
  const server = exchangeServer({
    initialize: () => {
      if (server.requests("initialize").length === 2) again.resolve();
      return INITIALIZED;
    },
    async "tools/call"({ request }) {
      const answered = withResolvers<ResponseMessage>();
      const params = { message: "Name?", requestedSchema: { type: "object", properties: {} } };
      const question: RequestMessage = { jsonrpc: "2.0", id: "q", method: "elicitation/create", params };
      server.handlers.request?.(question, { notify() {}, respond: answered.resolve }, request);
      await answered.promise;
      return { content: [] };
    },
  });
  const asked: unknown[] = [];
  const client = await connect(server, {
    era: "legacy",
    elicitation: (_, { request }): FormAnswer => {
      asked.push(request?.params);
      return { action: "decline" };
    },
  });
  await client.callTool("ask", { of: "ada" });
  expect(asked).toEqual([{ name: "ask", arguments: { of: "ada" } }]);
  server.handlers.session?.expired?.();
  await again.promise;
  await client.callTool("ask", { of: "bob" });
  expect(asked).toHaveLength(2);
  await client.close();
});
