import { once } from "node:events";
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Express } from "express";
import { describe, expect, onTestFinished, test } from "vitest";
import { createNodeHandler, type HttpOptions, type NodeHandler } from "../../../../src/http.ts";
import { Events, initialize, LegacyClient, modern, post, readJson } from "../client.ts";
import { createFixture } from "../fixture-server.ts";

function createHandler(options: HttpOptions): NodeHandler {
  const handler = createNodeHandler(createFixture().server, options);
  onTestFinished(() => handler.close());
  return handler;
}

/** The application of an Express server, with a router at `/api/v1` that has the handler. */
function mountInRouter(handler: NodeHandler): Express {
  const router = express.Router();
  router.use(handler);
  return express().use("/api/v1", router);
}

/** Serves an application; returns the origin that it is reached at. */
async function serve(app: Express): Promise<string> {
  const http = createServer(app);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

async function ask(url: string): Promise<{ status: number; message: string | undefined }> {
  const response = await fetch(url, modern("tools/call", { name: "echo", arguments: { text: "hi" } }));
  return { status: response.status, message: (await readJson(response)).error?.message };
}

describe("the path of a handler in an Express router", () => {
  test("is the one below the router, as all paths in a router are", async () => {
    const origin = await serve(mountInRouter(createHandler({ path: "/mcp" })));
    expect(await ask(`${origin}/api/v1/mcp?key=value`)).toMatchObject({ status: 200 });
    expect(await ask(`${origin}/api/v1/mcp/`)).toMatchObject({ status: 200 });
    const client = await LegacyClient.open({
      url: `${origin}/api/v1/mcp`,
      send: (init) => fetch(`${origin}/api/v1/mcp`, init),
      close: async () => {},
    });
    expect((await client.call("echo", { text: "x" })).status).toBe(200);
    await client.delete();
  });

  test("can also be written in full, as clients write it", async () => {
    const origin = await serve(mountInRouter(createHandler({ path: "/api/v1/mcp" })));
    expect(await ask(`${origin}/api/v1/mcp`)).toMatchObject({ status: 200 });
    const direct = await serve(express().use("/mcp", createHandler({ path: "/mcp" })));
    expect(await ask(`${direct}/mcp`)).toMatchObject({ status: 200 });
  });

  test.each([
    ["below the router", "/mcp"],
    ["in full", "/api/v1/mcp"],
  ])("is named in the way of clients to those who ask for another, if it was given %s", async (_, path) => {
    const origin = await serve(mountInRouter(createHandler({ path })));
    expect(await ask(`${origin}/api/v1/other`)).toEqual({
      status: 404,
      message: "There is no MCP endpoint at this path; it is /api/v1/mcp.",
    });
  });

  test("without a path, everything that is routed there is served", async () => {
    const origin = await serve(mountInRouter(createHandler({})));
    expect(await ask(`${origin}/api/v1/anything`)).toMatchObject({ status: 200 });
  });

  test("a target in absolute form, as proxies send it, leads there, too", async () => {
    const origin = await serve(mountInRouter(createHandler({ path: "/mcp" })));
    const { hostname, port } = new URL(origin);
    const { method, headers, body } = modern("tools/list");
    const fields = Object.fromEntries(new Headers(headers));
    const sent = request({ hostname, port, path: `${origin}/api/v1/mcp`, method, headers: fields }).end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(200);
  });

  test.each([undefined, "/mcp"])("the paths of HTTP+SSE are below the router, too, if `path` is %j", async (path) => {
    const origin = await serve(mountInRouter(createHandler({ path, legacy: { sse: true } })));
    const stream = await fetch(`${origin}/api/v1/sse`, { headers: { accept: "text/event-stream" } });
    const events = new Events(stream);
    const endpoint = (await events.next())?.data ?? "";
    expect(endpoint).toMatch(/^\/api\/v1\/messages\?sessionId=/);
    expect((await fetch(new URL(endpoint, origin), post(initialize("2024-11-05")))).status).toBe(202);
    expect((await events.message())?.result).toMatchObject({ protocolVersion: "2024-11-05" });
    await events.cancel();
  });
});
