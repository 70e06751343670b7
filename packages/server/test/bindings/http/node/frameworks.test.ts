import { once } from "node:events";
import { createServer, IncomingMessage, ServerResponse, type Server as HttpServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import express from "express";
import fastify from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { createNodeHandler } from "../../../../src/http.ts";
import { Events, LegacyClient, modern, post, readJson } from "../client.ts";
import { createFixture } from "../fixture-server.ts";
import type { Target } from "../platforms.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function targetOf(url: string): Target {
  return {
    url,
    send: ({ path, ...init }) => fetch(path === undefined ? url : new URL(path, url), init),
    close: async () => {},
  };
}

async function listen(http: HttpServer): Promise<number> {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  closing.push(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return (http.address() as AddressInfo).port;
}

/** The outcome of everything that has to work wherever the handler is mounted. */
async function tryOut(target: Target): Promise<object> {
  const echo = modern("tools/call", { name: "echo", arguments: { text: "h\u00e9" } });
  const answer = await readJson(await target.send(echo));
  const streamed = await target.send(modern("tools/call", { name: "chat", arguments: { count: 2 } }));
  const messages = await new Events(streamed).rest();
  const client = await LegacyClient.open(target);
  const events = new Events(await client.get());
  const called = await client.call("later", { text: "x" });
  const deleted = await client.delete();
  const heard = await events.rest();
  const plain = await target.send(post({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
  const malformed = await target.send(post({ jsonrpc: "2.0", id: 1 }));
  for (const response of [called, plain, malformed]) await response.text();
  return {
    content: answer.result?.["content"],
    streamed: messages.length,
    heard,
    statuses: [called.status, deleted.status, plain.status, malformed.status],
  };
}

const WORKING = {
  content: [{ type: "text", text: "h\u00e9" }],
  streamed: 3,
  heard: [],
  statuses: [200, 200, 200, 400],
};

describe("createNodeHandler", () => {
  function create(options = {}): ReturnType<typeof createNodeHandler> {
    const handler = createNodeHandler(createFixture().server, options);
    closing.push(() => handler.close());
    return handler;
  }

  test("can be the listener of a node:http server", async () => {
    const port = await listen(createServer(create()));
    expect(await tryOut(targetOf(`http://127.0.0.1:${port}/`))).toEqual(WORKING);
  });

  test.each([
    ["nobody is asked for a name", {}],
    ["names are known at once", { authenticate: () => ({ id: "ann" }) }],
  ])("beside others that listen to the body, where %s", async (_name, options) => {
    const handler = createNodeHandler(createFixture().server, options);
    closing.push(() => handler.close());
    const http = createServer((request, response) => {
      request.on("data", () => {});
      handler(request, response);
    });
    expect(await tryOut(targetOf(`http://127.0.0.1:${await listen(http)}/`))).toEqual(WORKING);
  });

  test("works in Express, mounted on a path", async () => {
    const app = express();
    app.use("/mcp", create());
    expect(await tryOut(targetOf(`http://127.0.0.1:${await listen(createServer(app))}/mcp`))).toEqual(WORKING);
  });

  test("works in Express, after express.json() has consumed the body", async () => {
    const app = express();
    app.use(express.json());
    app.use("/mcp", create());
    expect(await tryOut(targetOf(`http://127.0.0.1:${await listen(createServer(app))}/mcp`))).toEqual(WORKING);
  });

  test("works in Express, after express.json() has decoded the body", async () => {
    const app = express();
    app.use(express.json());
    app.use("/mcp", create());
    const { send } = targetOf(`http://127.0.0.1:${await listen(createServer(app))}/mcp`);
    const init = modern("tools/list", {}, { headers: { "content-encoding": "gzip" } });
    expect((await readJson(await send({ ...init, body: gzipSync(init.body) }))).result).toHaveProperty("tools");
  });

  test.each(["text", "raw"] as const)("works in Express, after express.%s() has consumed the body", async (kind) => {
    const app = express();
    app.use(express[kind]({ type: "*/*" }));
    app.use("/mcp", create());
    expect(await tryOut(targetOf(`http://127.0.0.1:${await listen(createServer(app))}/mcp`))).toEqual(WORKING);
  });

  test("works in Express, with headers that other middleware has set", async () => {
    const app = express();
    app.use((_request, response, next) => {
      response.setHeader("X-Other", "kept");
      next();
    });
    app.post("/mcp", create({ path: "/mcp" }));
    const url = `http://127.0.0.1:${await listen(createServer(app))}/mcp`;
    const response = await fetch(url, modern("tools/list"));
    expect([response.status, response.headers.get("x-other")]).toEqual([200, "kept"]);
    await response.text();
    expect((await fetch(`${url}/other`, modern("tools/list"))).status).toBe(404);
  });

  test("works in Fastify, which hands over the body that it has parsed", async () => {
    const app = fastify();
    const handler = create();
    app.all("/mcp", (request, reply) => {
      reply.hijack();
      handler(request.raw, reply.raw, request.body);
    });
    const address = await app.listen({ port: 0, host: "127.0.0.1" });
    closing.push(() => app.close());
    expect(await tryOut(targetOf(`${address}/mcp`))).toEqual(WORKING);
  });

  test("takes an empty body in Express for the mistake of the client that it is without express.json()", async () => {
    const app = express();
    app.use(express.json());
    app.use("/mcp", create());
    const url = `http://127.0.0.1:${await listen(createServer(app))}/mcp`;
    const response = await fetch(url, post(""));
    expect([response.status, (await readJson(response)).error?.code]).toEqual([400, -32600]);
  });

  test.each<[string, express.RequestHandler]>([
    ["has read", (request, _response, next) => void request.resume().on("end", () => next())],
    ["has begun to read", (request, _response, next) => void request.once("data", () => next())],
  ])("a body that something %s and not passed on is a mistake of the server, not an endless wait", async (_, read) => {
    const app = express();
    app.use(read);
    app.use("/mcp", create());
    const url = `http://127.0.0.1:${await listen(createServer(app))}/mcp`;
    const response = await fetch(url, modern("tools/list"));
    expect([response.status, (await readJson(response)).error?.code]).toEqual([500, -32603]);
  });

  test("works in adapters for functions in the cloud, whose requests have no real socket", async () => {
    const { server, began, release } = createFixture();
    const { method, headers, body } = modern("tools/call", { name: "wait" });
    const request = new IncomingMessage({ encrypted: true, end() {}, destroy() {} } as unknown as Socket);
    const fields = { ...Object.fromEntries(new Headers(headers)), host: "localhost" };
    Object.assign(request, { complete: true, method, url: "/mcp", headers: fields });
    request.push(body);
    request.push(null);
    const response = new ServerResponse(request);
    const sent = new PassThrough();
    response.assignSocket(sent as unknown as Socket);
    const finished = once(response, "finish");
    createNodeHandler(server)(request, response);
    await began("wait");
    // Whatever would have failed has by then.
    await new Promise(setImmediate);
    release();
    await finished;
    expect([response.statusCode, String(sent.read())]).toEqual([200, expect.stringContaining("waited as wait")]);
  });

  test("refuses everything with a 503 after close()", async () => {
    const handler = create();
    const port = await listen(createServer(handler));
    await handler.close();
    const response = await fetch(`http://127.0.0.1:${port}/`, modern("tools/list"));
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    await response.text();
  });
});
