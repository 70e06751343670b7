import { createClient } from "redis";
import { connect } from "@toolwire/client";
import { createServer, resource, tool, type Server } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { afterEach, expect, test } from "vitest";
import { redisCluster } from "../../src/index.ts";
import { useRig } from "./rig.ts";

const rig = useRig();
const ending: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

/** A server on a node of its own, over HTTP. */
async function start(): Promise<{ server: Server; url: string }> {
  const client = createClient({ url: rig.server.url });
  const cluster = await redisCluster(client, { pollInterval: 200 });
  const server = createServer({
    name: "weather",
    version: "1.0.0",
    tools: { greet: tool({ description: "Greets", run: () => `Hello from ${cluster.node}` }) },
    resources: { news: resource({ uri: "news://latest", read: () => "" }) },
  });
  const listener = await serveHttp(server, { port: 0, cluster });
  ending.push(async () => {
    await listener.close();
    await cluster.close();
    client.destroy();
  });
  return { server, url: listener.url };
}

/** Sends a message as an older client does. */
function post(url: string, session: string | undefined, message: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session !== undefined && { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

test("a session of an older client that began at one server is served by another, and ends at both", async () => {
  const [one, other] = [await start(), await start()];
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const begun = await post(one.url, undefined, { id: 1, method: "initialize", params });
  const session = begun.headers.get("mcp-session-id") ?? "";
  await begun.text();
  expect((await post(other.url, session, { method: "notifications/initialized" })).status).toBe(202);

  const called = await post(other.url, session, { id: 2, method: "tools/call", params: { name: "greet" } });
  expect(await called.text()).toContain("Hello from");
  const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" };
  expect((await fetch(one.url, { method: "DELETE", headers })).ok).toBe(true);
  await expect
    .poll(
      async () => (await post(other.url, session, { id: 3, method: "tools/call", params: { name: "greet" } })).status,
    )
    .toBe(404);
});

test("clients of one server hear of changes that another one announces, also after the engine was restarted", async () => {
  const [one, other] = [await start(), await start()];
  await using client = await connect(other.url);
  const heard: unknown[] = [];
  await client.subscribe({ uris: ["news://latest"] }, (change) => void heard.push(change));
  one.server.resources.updated("news://latest");
  await expect.poll(() => heard.length).toBe(1);

  await rig.server.restart();
  await expect.poll(() => heard.length).toBeGreaterThan(1);
  const before = heard.length;
  await expect
    .poll(() => {
      one.server.resources.updated("news://latest");
      return heard.length;
    })
    .toBeGreaterThan(before);
});
