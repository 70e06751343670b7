import { connect, type Change, type ConnectOptions } from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { listen, openEvents, sendJson } from "../transports/http/listen.ts";
import { withResolvers } from "../with-resolvers.ts";

const QUICK: ConnectOptions = { memory: false, reconnect: { delay: 10, attempts: 50 }, onDiagnostic: () => {} };
const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

/** The changes that a listener hears, one after another. */
function hearing() {
  const heard: Change[] = [];
  const waiting: ((change: Change) => void)[] = [];
  return {
    heard,
    listener: (change: Change): void => {
      heard.push(change);
      waiting.shift()?.(change);
    },
    next(): Promise<Change> {
      const { promise, resolve } = withResolvers<Change>();
      waiting.push(resolve);
      return promise;
    },
  };
}

test("a modern server that is restarted properly is asked again, and what may have changed is told", async () => {
  const define = () =>
    createServer({ name: "restarted", version: "1", tools: { t: tool({ description: "A tool", run: () => "" }) } });
  const first = await serveHttp(define(), { port: 0 });
  const client = await connect(first.url, QUICK);
  onTestFinished(() => client.close());
  const { listener, next } = hearing();
  const subscription = await client.subscribe({ tools: true }, listener);
  const resumed = next();
  await first.close();
  const server = define();
  const second = await serveHttp(server, { port: Number(new URL(first.url).port) });
  onTestFinished(() => second.close());
  expect(await resumed).toEqual({ kind: "tools", resumed: true });
  const changed = next();
  server.tools.add("late", tool({ description: "Late", run: () => "" }));
  expect(await changed).toEqual({ kind: "tools" });
  subscription.close();
  await expect(subscription.closed).resolves.toBeUndefined();
});

test("results that were cached before a stream broke are fetched again after it", async () => {
  const names: string[] = ["old"];
  let stream: ServerResponse | undefined;
  const { url } = await listen(({ message }, response) => {
    const { id, method } = message!;
    const kept = { resultType: "complete", ttlMs: 60_000, cacheScope: "private" };
    if (method === "server/discover") {
      const capabilities = { tools: { listChanged: true } };
      sendJson(response, { jsonrpc: "2.0", id, result: { ...kept, supportedVersions: ["2026-07-28"], capabilities } });
    } else if (method === "tools/list") {
      const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
      sendJson(response, { jsonrpc: "2.0", id, result: { ...kept, tools } });
    } else {
      stream = response;
      const params = {
        notifications: { toolsListChanged: true },
        _meta: { "io.modelcontextprotocol/subscriptionId": id },
      };
      openEvents(response)({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params });
    }
  });
  const client = await connect(url, QUICK);
  onTestFinished(() => client.close());
  const { listener, next } = hearing();
  await client.subscribe({ tools: true }, listener);
  await client.listTools();
  names[0] = "new";
  const resumed = next();
  stream?.destroy();
  expect(await resumed).toEqual({ kind: "tools", resumed: true });
  expect((await client.listTools()).tools).toMatchObject([{ name: "new" }]);
});

/** A legacy server whose stream of announcements the test writes, and breaks, at will. */
async function legacy(options: { readonly refusals?: number } = {}) {
  let { refusals = 0 } = options;
  const streams: { readonly response: ServerResponse; readonly lastEventId: string | undefined }[] = [];
  const opened: (() => void)[] = [];
  const { url } = await listen((seen, response) => {
    const { method, message, headers } = seen;
    if (method === "GET" && refusals-- > 0) response.destroy();
    else if (method === "GET") {
      openEvents(response);
      response.write("retry: 1\n\n");
      streams.push({ response, lastEventId: headers["last-event-id"] as string | undefined });
      opened.shift()?.();
    } else if (message?.method === "initialize") {
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "x", version: "1" },
      };
      sendJson(response, { jsonrpc: "2.0", id: message.id, result });
    } else response.writeHead(202).end();
  });
  const client = await connect(url, { ...QUICK, era: "legacy" });
  onTestFinished(() => client.close());
  const nextStream = () => new Promise<void>((resolve) => opened.push(resolve));
  return { client, streams, nextStream };
}

test("a legacy stream that was away, and cannot say what it missed, makes everything doubtful", async () => {
  const { client, streams, nextStream } = await legacy();
  const { listener, next } = hearing();
  await client.subscribe({ tools: true }, listener);
  const announced = next();
  streams[0]?.response.write(`data: ${JSON.stringify(CHANGED)}\n\n`);
  expect(await announced).toEqual({ kind: "tools" });
  const missed = next();
  const back = nextStream();
  streams[0]?.response.end();
  await back;
  expect(await missed).toEqual({ kind: "tools", resumed: true });
});

test("a stream that could not be opened at first makes everything doubtful, too, as no changes were told meanwhile", async () => {
  const { client } = await legacy({ refusals: 1 });
  const { listener, next } = hearing();
  const resumed = next();
  await client.subscribe({ tools: true }, listener);
  expect(await resumed).toEqual({ kind: "tools", resumed: true });
});

test("a stream that says where it broke off is told the rest by the server", async () => {
  const { client, streams, nextStream } = await legacy();
  const { listener, next, heard } = hearing();
  await client.subscribe({ tools: true }, listener);
  const announced = next();
  streams[0]?.response.write(`id: 1\ndata: ${JSON.stringify(CHANGED)}\n\n`);
  await announced;
  const rest = next();
  const back = nextStream();
  streams[0]?.response.end();
  await back;
  streams[1]?.response.write(`id: 2\ndata: ${JSON.stringify(CHANGED)}\n\n`);
  await rest;
  expect(streams[1]?.lastEventId).toBe("1");
  expect(heard).toEqual([{ kind: "tools" }, { kind: "tools" }]);
});
