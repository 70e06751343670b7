import { createServer } from "@toolwire/server";
import { serveWebSocket, type WebSocketOptions, type WebSocketListener } from "@toolwire/server/websocket";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../../../test/eventually.ts";
import { FrameClient, refusal } from "./frame-client.ts";

/** Serves on a port whose connections seem to come from the address that each request names. */
async function serve(options: WebSocketOptions): Promise<WebSocketListener> {
  const http = createHttpServer();
  http.prependListener("upgrade", ({ socket, headers }) => {
    Object.defineProperty(socket, "remoteAddress", { value: headers["x-from"], configurable: true });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const serving = await serveWebSocket(createServer({ name: "shared", version: "1" }), { ...options, server: http });
  onTestFinished(async () => {
    await serving.close();
    http.close();
  });
  return serving;
}

const named: WebSocketOptions = { authenticate: ({ header }) => ({ id: header("authorization") ?? "nobody" }) };

const as = (name: string): { headers: Record<string, string> } => ({ headers: { authorization: name } });
const from = (address: string): { headers: Record<string, string> } => ({ headers: { "x-from": address } });

describe("connections of several callers", () => {
  it("one caller has a tenth of all connections at most", async () => {
    const { url } = await serve({ ...named, maxConnections: 110 });
    for (let n = 0; n < 11; n += 1) await FrameClient.open(url, as("mallory"));
    expect(await refusal(url, as("mallory"))).toMatchObject({ status: 429, headers: { "retry-after": "5" } });
    await FrameClient.open(url, as("carol"));
  });

  it("one caller has as many connections as the option allows, until they are closed", async () => {
    const serving = await serve({ ...named, maxConnectionsPerClient: 1 });
    const { url } = serving;
    const client = await FrameClient.open(url, as("ada"));
    expect((await refusal(url, as("ada"))).status).toBe(429);
    client.socket.close();
    await client.closed();
    await until(() => serving.connections === 0);
    await FrameClient.open(url, as("ada"));
  });

  it("connections are counted by address without authentication, unless a proxy may be there", async () => {
    const { url } = await serve({ maxConnectionsPerClient: 1 });
    await FrameClient.open(url, from("203.0.113.7"));
    expect((await refusal(url, from("203.0.113.7"))).status).toBe(429);
    await FrameClient.open(url, from("203.0.113.8"));
    await FrameClient.open(url, from("10.0.0.1"));
    await FrameClient.open(url, from("10.0.0.1"));
  });

  it("connections that wait for authentication are counted by address, and take a tenth of all at most", async () => {
    const looking: (() => void)[] = [];
    const { url } = await serve({
      maxConnections: 110,
      authenticate: ({ header }) => {
        const id = header("x-from") ?? "";
        return id === "203.0.113.8" ? { id } : new Promise((resolve) => looking.push(() => resolve({ id })));
      },
    });
    const waiting = Array.from({ length: 11 }, () => FrameClient.open(url, from("203.0.113.7")));
    await until(() => looking.length === 11);
    expect((await refusal(url, from("203.0.113.7"))).status).toBe(429);
    await FrameClient.open(url, from("203.0.113.8"));
    for (const finish of looking) finish();
    await Promise.all(waiting);
  });
});
