import type { ServerResponse } from "node:http";
import { connect } from "@toolwire/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, sendJson } from "../transports/http/listen.ts";
import { isCall, legacyServer, SILENCE } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";

const DISCOVERY = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
const HANDSHAKE = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "s", version: "1" },
};

describe("a question that a slow server has left open is not left open over HTTP once the other is answered", () => {
  test("the modern one, to a legacy server", async () => {
    const ended = withResolvers<void>();
    const { url } = await listen(({ method, message }, response) => {
      if (message?.method === "server/discover") response.on("close", ended.resolve);
      else if (message?.id === undefined) response.writeHead(method === "GET" ? 405 : 202).end();
      else {
        const result = message.method === "initialize" ? HANDSHAKE : { content: [] };
        sendJson(response, { jsonrpc: "2.0", id: message.id, result });
      }
    });
    const client = await connect(url, { probeTimeout: 1, memory: false });
    onTestFinished(() => client.close());
    await ended.promise;
    expect(client.era).toBe("legacy");
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
  });

  test("the legacy one, to a modern server", async () => {
    const ended = withResolvers<void>();
    const held: { id: number | undefined; response: ServerResponse }[] = [];
    const { url } = await listen(({ message }, response) => {
      const answer = (to: ServerResponse, id: number | undefined, result: object): void =>
        sendJson(to, { jsonrpc: "2.0", id, result });
      if (message?.method === "server/discover") held.push({ id: message.id, response });
      else if (message?.method === "initialize") {
        response.on("close", ended.resolve);
        for (const discovery of held) answer(discovery.response, discovery.id, DISCOVERY);
      } else answer(response, message?.id, { resultType: "complete", content: [] });
    });
    const client = await connect(url, { probeTimeout: 1, memory: false });
    onTestFinished(() => client.close());
    await ended.promise;
    expect(client.era).toBe("modern");
    await expect(client.callTool("t")).resolves.toMatchObject({ content: [] });
  });
});

test("a question that a legacy server has left open is taken back over a channel, when all is agreed on", async () => {
  const server = legacyServer({ "server/discover": () => SILENCE });
  const client = await connect(server.channel, { probeTimeout: 1 });
  onTestFinished(() => client.close());
  const { params } = (await server.arrival(isCall("notifications/cancelled"))) as { params?: object };
  expect(params).toMatchObject({ requestId: server.requests("server/discover")[0]?.id });
  const methods = server.received.map((message) => ("method" in message ? message.method : "response"));
  expect(methods).toEqual(["server/discover", "initialize", "notifications/initialized", "notifications/cancelled"]);
});
