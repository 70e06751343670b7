import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { MetaKey } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { connect } from "@toolwire/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createHttpTransport } from "../../../src/http.ts";
import type { HttpBackend } from "../../../src/transports/http/backend.ts";
import { HttpClient } from "../../../src/transports/http/client.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, sendJson } from "./listen.ts";
import { createFetchTransport, createUndiciTransport } from "./backends.ts";

const MODERN = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: {} } };

it("the client waits for the end of a redirect for a moment only, as that says nothing more", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const send = vi.fn<HttpBackend["send"]>(({ url }, sink) => {
    if (url.pathname === "/mcp") sink.head(307, (name) => (name === "location" ? "/mcp/" : undefined));
    return { mayBeSent: true, abort() {} };
  });
  const unheard = vi.fn();
  const sink = { message: unheard, violation: unheard, refused: unheard, end: unheard, failed: unheard };
  const backend = { spareConnections: 0, send, close: async () => {} };
  new HttpClient(new URL("http://localhost/mcp"), {}, backend).send("POST", {}, "{}", sink);
  vi.advanceTimersByTime(50);
  expect(send.mock.calls.map(([{ url }]) => url.pathname)).toEqual(["/mcp", "/mcp/"]);
  expect(vi.getTimerCount()).toBe(0);
  expect(unheard).not.toHaveBeenCalled();
});

it("a redirect in a browser, which does not say where it leads, fails with an error that says so", async () => {
  // As browsers show a redirect: no status, no fields, no body.
  const transport = createHttpTransport("http://127.0.0.1:1/mcp", { fetch: () => Promise.resolve(Response.error()) });
  void transport.open({});
  onTestFinished(() => transport.close());
  await expect(new Caller(transport, { timeout: 20_000 }).call("m", MODERN)).rejects.toMatchObject({
    status: 0,
    message: expect.stringContaining("Browsers follow none") as string,
  });
});

it("a redirect to the same place without TLS is followed with TLS, as behind a proxy that ends it", async () => {
  const pem = await readFile(new URL("fixtures/self-signed.pem", import.meta.url), "utf8");
  const paths: (string | undefined)[] = [];
  const server = createServer({ cert: pem, key: pem }, (request, response) => {
    paths.push(request.url);
    const { port } = server.address() as AddressInfo;
    if (request.url === "/mcp") response.writeHead(307, { location: `http://127.0.0.1:${port}/mcp/` }).end();
    else sendJson(response, { jsonrpc: "2.0", id: 1, result: { ok: 1 } });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const transport = createUndiciTransport(`https://127.0.0.1:${port}/mcp`, { connect: { ca: pem } });
  void transport.open({});
  onTestFinished(() => transport.close());
  await expect(new Caller(transport, { timeout: 20_000 }).call("m", MODERN)).resolves.toEqual({ ok: 1 });
  expect(paths).toEqual(["/mcp", "/mcp/"]);
});

describe.each([
  ["fetch", createFetchTransport],
  ["undici", createUndiciTransport],
] as const)("a redirect, by %s,", (way, create) => {
  function open(url: string | URL) {
    const transport = create(url);
    void transport.open({});
    onTestFinished(() => transport.close());
    return { transport, caller: new Caller(transport, { timeout: 20_000 }) };
  }

  it.each([
    [307, ["/mcp", "/mcp/", "/mcp", "/mcp/"]],
    [308, ["/mcp", "/mcp/", "/mcp/"]],
  ])("a redirect of status %i holds for as long as it says", async (status, paths) => {
    const { url, seen } = await listen(({ url: path, message }, response) => {
      if (path === "/mcp") response.writeHead(status, { location: "/mcp/" }).end();
      else sendJson(response, { jsonrpc: "2.0", id: message!.id, result: {} });
    });
    const { caller } = open(url);
    await caller.call("m", MODERN);
    await caller.call("m", MODERN);
    expect(seen.map(({ url: path }) => path)).toEqual(paths);
  });

  it("is understood from where the request was sent, also when another has moved on since", async () => {
    const held: (() => void)[] = [];
    const { url, seen } = await listen(({ url: path, message }, response) => {
      if (path === "/a/mcp") {
        held.push(() => response.writeHead(308, { location: "b/mcp" }).end());
        if (held.length === 2) for (const redirect of held) redirect();
      } else sendJson(response, { jsonrpc: "2.0", id: message!.id, result: {} });
    });
    const { caller } = open(new URL("/a/mcp", url));
    await Promise.all([caller.call("m", MODERN), caller.call("m", MODERN)]);
    expect(seen.map(({ url: path }) => path)).toEqual(["/a/mcp", "/a/mcp", "/a/b/mcp", "/a/b/mcp"]);
  });

  it("holds for the notifications, the stream and the end of a session, too", async () => {
    const { url, seen } = await listen(({ method, url: path, message }, response) => {
      if (path === "/mcp") response.writeHead(307, { location: "/mcp/" }).end();
      else if (method !== "POST") response.writeHead(method === "GET" ? 405 : 200).end();
      else if (message?.method === "initialize") {
        const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } };
        sendJson(response, { jsonrpc: "2.0", id: message.id, result }, 200, { "mcp-session-id": "s" });
      } else response.writeHead(202).end();
    });
    const options = {
      era: "legacy",
      memory: false,
      ...(way === "fetch" && { http: { fetch: globalThis.fetch } }),
    } as const;
    const client = await connect(url, options);
    await client.close();
    const arrived = seen.filter(({ url: path }) => path === "/mcp/");
    expect(arrived.map(({ method, message }) => message?.method ?? method)).toEqual([
      "initialize",
      "notifications/initialized",
      "GET",
      "DELETE",
    ]);
  });

  it("a redirect to another origin is not followed, and the error names it and says why", async () => {
    const other = await listen((__, response) => sendJson(response, {}));
    const { url } = await listen((__, response) =>
      response.writeHead(308, { location: `${other.url}?token=SECRET` }).end(),
    );
    const error = await open(url)
      .caller.call("m", MODERN)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 308 });
    expect((error as Error).message).toContain(`redirects to ${other.url} (HTTP status 308)`);
    expect((error as Error).message).toContain("no other origin");
    expect((error as Error).message).not.toContain("SECRET");
  });

  it("is followed, whatever else it has to say, which is not read to the end", async () => {
    const cut = withResolvers<void>();
    const { url } = await listen(({ url: path, message }, response) => {
      if (path !== "/mcp") return sendJson(response, { jsonrpc: "2.0", id: message!.id, result: { ok: 1 } });
      response.on("close", cut.resolve);
      response.writeHead(307, { location: "/mcp/" }).write("x".repeat(100_000));
    });
    await expect(open(url).caller.call("m", MODERN)).resolves.toEqual({ ok: 1 });
    await cut.promise;
  });

  it("leaves its connection to the request that follows it", async () => {
    const ports = new Set<number | undefined>();
    const { url } = await listen(({ url: path, message }, response, { socket }) => {
      ports.add(socket.remotePort);
      if (path === "/mcp") response.writeHead(307, { location: "/mcp/" }).end("Over there!");
      else sendJson(response, { jsonrpc: "2.0", id: message!.id, result: {} });
    });
    const { caller } = open(url);
    for (let time = 0; time < 5; time++) await caller.call("m", MODERN);
    // `fetch` has two of them, in turns.
    expect(ports.size).toBeLessThan(3);
  });

  it("a redirect of another status is not followed, and the error says which ones are", async () => {
    const { url, seen } = await listen((__, response) => response.writeHead(301, { location: "/mcp/" }).end());
    await expect(open(url).caller.call("m", MODERN)).rejects.toThrow(
      `redirects to ${url}/ (HTTP status 301). Only 307 and 308 are followed`,
    );
    expect(seen).toHaveLength(1);
  });

  it("a redirect with credentials in it is not followed, and the error does not show them", async () => {
    const { url, seen } = await listen((__, response) =>
      response.writeHead(307, { location: url.replace("//", "//user:SECRET@") }).end(),
    );
    await expect(open(url).caller.call("m", MODERN)).rejects.toMatchObject({
      status: 307,
      message: expect.stringContaining(`redirects to ${url} (HTTP status 307)`) as string,
    });
    expect(seen).toHaveLength(1);
  });

  it("a redirect that leads in a circle ends", async () => {
    const { url, seen } = await listen((__, response) => response.writeHead(307, { location: "/mcp" }).end());
    const { transport, caller } = open(url);
    await expect(caller.call("m", MODERN)).rejects.toThrow(`redirects to ${url}`);
    const before = seen.length;
    await expect(transport.notify({ jsonrpc: "2.0", method: "n" })).rejects.toThrow(`redirects to ${url}`);
    expect([before, seen.length]).toEqual([6, 12]);
  });
});
