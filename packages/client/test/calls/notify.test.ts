import { connect, type Client, type ClientOptions } from "@toolwire/client";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { legacyServer } from "../scripted-server.ts";
import { scriptedProcess } from "../transports/stdio/scripted-process.ts";

const DISCOVERY = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };

/** More than pipes and sockets hold for a peer that does not read. */
const BIG = { text: "x".repeat(20_000_000) };

/** A process that reads nothing any more once it is connected to. */
async function overStdio(options: ClientOptions): Promise<Client> {
  const answer = `() => {
    process.stdin.pause();
    return ${JSON.stringify(DISCOVERY)};
  }`;
  const { command, args } = scriptedProcess(answer, "setInterval(() => {}, 60_000);");
  return connect({ command, args: args ?? [], stderr: "ignore", stopTimeout: 100 }, options);
}

async function overWebSocket(options: ClientOptions): Promise<Client> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: ([first]) => first ?? false });
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  server.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => {
      const { id } = JSON.parse(data.toString()) as { id: number };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: DISCOVERY }));
      socket.pause();
    });
  });
  await once(server, "listening");
  return connect(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, options);
}

describe.each([
  ["stdio", overStdio],
  ["a WebSocket", overWebSocket],
])("a notification to a server that does not read, over %s,", (_, open) => {
  async function opened(options: ClientOptions = {}): Promise<Client> {
    const client = await open({ reconnect: false, ...options });
    onTestFinished(() => client.close());
    return client;
  }

  test("is given up when the time of the client is over", async () => {
    const client = await opened({ timeout: 200 });
    await expect(client.notify("notifications/x", BIG)).rejects.toMatchObject({
      code: "TIMEOUT",
      message: "notifications/x was not sent in time.",
    });
  });

  test("is given up when its own time is over", async () => {
    const client = await opened();
    await expect(client.notify("notifications/x", BIG, { timeout: 100 })).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  test("is given up when its signal says so", async () => {
    const client = await opened();
    const stop = new AbortController();
    const sending = client.notify("notifications/x", BIG, { signal: stop.signal });
    stop.abort(new RangeError("changed my mind"));
    await expect(sending).rejects.toThrow("changed my mind");
  });

  test("has failed if the client is closed before the server has read it", async () => {
    const client = await opened();
    const failed = expect(client.notify("notifications/x", BIG)).rejects.toMatchObject({ code: "CLOSED" });
    await client.close();
    await failed;
  });
});

test("a notification to a server that ends without having read it has failed", async () => {
  const { command, args } = scriptedProcess(`() => {
    // The first bytes of the notification are enough.
    process.stdin.once("data", () => process.exit());
    return ${JSON.stringify(DISCOVERY)};
  }`);
  const client = await connect({ command, args: args ?? [], stderr: "ignore" }, { reconnect: false });
  await expect(client.notify("notifications/x", BIG)).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  await client.close();
});

test("the news that roots have changed can be given up, too", async () => {
  const server = legacyServer();
  const client = await connect(
    {
      ...server.channel,
      send: (message) =>
        "method" in message && message.method.endsWith("roots/list_changed")
          ? new Promise(() => {})
          : server.channel.send(message),
    },
    { roots: [] },
  );
  onTestFinished(() => client.close());
  await expect(client.rootsChanged({ timeout: 1 })).rejects.toMatchObject({ code: "TIMEOUT" });
});
