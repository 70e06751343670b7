import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  AuthError,
  MetaKey,
  RpcError,
  type ExchangeTransport,
  type PeerHandlers,
  type RequestMessage,
} from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createHttpTransport, HttpStatusError, type HttpTransportOptions } from "../../../src/http.ts";
import { createHttpClient } from "../../../src/transports/http/client.ts";
import { HttpTransport } from "../../../src/transports/http/transport.ts";
import { listen, openEvents, sendJson } from "./listen.ts";
import { createUndiciTransport } from "./backends.ts";

const MODERN = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: {} } };

describe.each([
  ["fetch", 1_024, (url: string, options?: HttpTransportOptions) => createHttpTransport(url, options)],
  [
    "undici",
    10_048,
    (url: string, options?: Omit<HttpTransportOptions, "fetch">) => createUndiciTransport(url, options),
  ],
] as const)("HTTP by %s", (_, manyCalls, create) => {
  function open(
    url: string,
    handlers: PeerHandlers = {},
    options: Omit<HttpTransportOptions, "fetch"> = {},
  ): { transport: ExchangeTransport; caller: Caller } {
    const transport = create(url, options);
    void transport.open(handlers);
    onTestFinished(() => transport.close());
    return { transport, caller: new Caller(transport, { timeout: 20_000 }) };
  }

  async function openSession(url: string, handlers: PeerHandlers = {}): Promise<ReturnType<typeof open>> {
    const opened = open(url, handlers);
    await opened.caller.call("initialize", { protocolVersion: "2025-11-25" });
    await opened.transport.notify({ jsonrpc: "2.0", method: "notifications/initialized" });
    return opened;
  }

  describe("a modern request", () => {
    it("repeats version, method and name in headers, and accepts both kinds of answer", async () => {
      const { url, seen } = await listen(({ message }, response) =>
        sendJson(response, { jsonrpc: "2.0", id: message!.id, result: { ok: 1 } }),
      );
      const { caller } = open(url, {}, { headers: { authorization: "Bearer t" } });
      expect(
        await caller.call("tools/call", { ...MODERN, name: "größe" }, { headers: { "mcp-param-region": "eu" } }),
      ).toEqual({ ok: 1 });
      await caller.call("resources/read", { ...MODERN, uri: "file:///a%20b" });
      await caller.call("tools/list", MODERN);
      expect(seen[0]!.headers).toMatchObject({
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: "Bearer t",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "=?base64?Z3LDtsOfZQ==?=",
        "mcp-param-region": "eu",
      });
      expect(seen[1]!.headers["mcp-name"]).toBe("file:///a%20b");
      expect(seen[2]!.headers["mcp-name"]).toBeUndefined();
    });

    it("hears the notifications of its stream before the response", async () => {
      const { url } = await listen(({ message }, response) => {
        const send = openEvents(response);
        response.write(": keep-alive\n\n");
        send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: message!.id, progress: 1 } });
        send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } });
        send({ jsonrpc: "2.0", id: message!.id, result: { ok: 1 } });
        response.end();
      });
      const heard: unknown[] = [];
      const result = await open(url).caller.call("tools/call", MODERN, {
        onProgress: ({ progress }) => heard.push(progress),
        onNotification: ({ method }) => heard.push(method),
      });
      expect(result).toEqual({ ok: 1 });
      expect(heard).toEqual([1, "notifications/message"]);
    });

    it("a modern request is cancelled by closing its stream, and by nothing else", async () => {
      let sawClose!: () => void;
      const gone = new Promise<void>((resolve) => (sawClose = resolve));
      let began!: () => void;
      const started = new Promise<void>((resolve) => (began = resolve));
      const { url, seen } = await listen((__, response) => {
        openEvents(response)("");
        response.on("close", sawClose);
        began();
      });
      const aborter = new AbortController();
      const call = open(url).caller.call("tools/call", MODERN, { signal: aborter.signal });
      await started;
      aborter.abort(new Error("enough"));
      await expect(call).rejects.toThrow("enough");
      await gone;
      expect(seen).toHaveLength(1);
    });

    it("a modern request fails when the stream ends without a response: modern streams cannot be resumed", async () => {
      const { url, seen } = await listen((__, response) => {
        openEvents(response)("", "id: 1\n");
        response.end();
      });
      await expect(open(url).caller.call("tools/call", MODERN)).rejects.toMatchObject({ code: "CONNECTION_LOST" });
      expect(seen).toHaveLength(1);
    });

    it("a modern request fails at once when its response is broken, though its stream goes on", async () => {
      const { url } = await listen(({ message }, response) => {
        const send = openEvents(response);
        send({ jsonrpc: "2.0", id: 4711, result: null });
        send({ id: message!.id, error: "a line of a log" });
        if (message!.method === "tools/list") send({ jsonrpc: "2.0", id: message!.id, result: {} });
        else send({ jsonrpc: "2.0", id: message!.id, result: null });
      });
      const { caller } = open(url);
      await expect(caller.call("tools/call", MODERN)).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
      await expect(caller.call("tools/list", MODERN)).resolves.toEqual({});
    });

    it("a modern request is answered by the JSON-RPC error in the body of an HTTP error", async () => {
      const { url } = await listen((__, response) =>
        sendJson(
          response,
          { jsonrpc: "2.0", error: { code: -32022, message: "no", data: { supported: ["2026-07-28"] } } },
          400,
        ),
      );
      const error = await open(url)
        .caller.call("tools/list", MODERN)
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RpcError);
      expect(error).toMatchObject({ code: -32022, data: { supported: ["2026-07-28"] } });
    });
  });

  describe("a legacy session", () => {
    it("carries its id and revision from initialize on, and ends with DELETE", async () => {
      const { url, seen } = await listen(({ method, message }, response) => {
        if (method !== "POST") response.writeHead(method === "GET" ? 405 : 204).end();
        else if (message!.method === "initialize") {
          sendJson(response, { jsonrpc: "2.0", id: message!.id, result: { protocolVersion: "2025-06-18" } }, 200, {
            "mcp-session-id": "s1",
          });
        } else if (message!.id === undefined) response.writeHead(202).end();
        else sendJson(response, { jsonrpc: "2.0", id: message!.id, result: {} });
      });
      const { caller, transport } = await openSession(url);
      await caller.call("tools/list", {});
      await transport.close();
      await transport.close();
      expect(
        seen.map(({ method, headers }) => [method, headers["mcp-session-id"], headers["mcp-protocol-version"]]),
      ).toEqual([
        ["POST", undefined, undefined],
        ["POST", "s1", "2025-06-18"],
        ["GET", "s1", "2025-06-18"],
        ["POST", "s1", "2025-06-18"],
        ["DELETE", "s1", "2025-06-18"],
      ]);
    });

    it("a legacy session answers requests that come on the standalone stream, which is open once the handshake is over", async () => {
      let push: ((message: unknown) => void) | undefined;
      let answered!: (message: unknown) => void;
      const answer = new Promise((resolve) => (answered = resolve));
      const { url } = await listen(({ method, message }, response) => {
        if (method === "GET") push = openEvents(response);
        else if (message?.method === "initialize") {
          sendJson(response, { jsonrpc: "2.0", id: message.id, result: { protocolVersion: "2025-11-25" } });
        } else {
          if (message?.result !== undefined) answered(message);
          response.writeHead(202).end();
        }
      });
      const notification = vi.fn();
      await openSession(url, {
        notification,
        request({ id, method }: RequestMessage, reply) {
          reply.respond({ jsonrpc: "2.0", id, result: { method } });
          return { cancel() {} };
        },
      });
      push!({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      push!({ jsonrpc: "2.0", id: 1, method: "roots/list" });
      expect(await answer).toEqual({ jsonrpc: "2.0", id: 1, result: { method: "roots/list" } });
      expect(notification).toHaveBeenCalledWith({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    });

    it("a legacy session takes up an interrupted answer where it broke off", async () => {
      const { url, seen } = await listen(({ method, headers, message }, response) => {
        if (message?.method === "initialize") {
          sendJson(response, { jsonrpc: "2.0", id: message.id, result: { protocolVersion: "2025-11-25" } });
        } else if (method === "GET" && headers["last-event-id"] === undefined) response.writeHead(405).end();
        else if (method === "GET") openEvents(response)({ jsonrpc: "2.0", id: 2, result: { late: true } }, "id: e8\n");
        else if (message?.id === undefined) response.writeHead(202).end();
        else {
          openEvents(response)("", "id: e7\nretry: 5\n");
          response.end();
        }
      });
      const { caller } = await openSession(url);
      expect(await caller.call("tools/call", { name: "slow" })).toEqual({ late: true });
      expect(seen.at(-1)).toMatchObject({ method: "GET", headers: { "last-event-id": "e7" } });
    });

    it("a legacy session reports a session the server has forgotten", async () => {
      const { url } = await listen(({ method, message }, response) => {
        if (message?.method === "initialize") {
          sendJson(response, { jsonrpc: "2.0", id: message.id, result: { protocolVersion: "2025-11-25" } }, 200, {
            "mcp-session-id": "s",
          });
        } else if (method === "POST" && message?.id === undefined) response.writeHead(202).end();
        else sendJson(response, { jsonrpc: "2.0", error: { code: -32001, message: "Session not found" } }, 404);
      });
      const { caller } = await openSession(url);
      await expect(caller.call("tools/list", {})).rejects.toMatchObject({ code: "SESSION_EXPIRED" });
    });

    it("a legacy session tells the server what was cancelled", async () => {
      let cancelled!: (params: unknown) => void;
      const told = new Promise((resolve) => (cancelled = resolve));
      let began!: () => void;
      const started = new Promise<void>((resolve) => (began = resolve));
      const { url } = await listen(({ method, message }, response) => {
        if (message?.method === "initialize") {
          sendJson(response, { jsonrpc: "2.0", id: message.id, result: { protocolVersion: "2025-11-25" } });
        } else if (message?.method === "notifications/cancelled") cancelled(message.params);
        else if (method === "GET") response.writeHead(405).end();
        else if (message?.id === undefined) response.writeHead(202).end();
        else began();
      });
      const { caller } = await openSession(url);
      const aborter = new AbortController();
      const call = caller.call("tools/call", {}, { signal: aborter.signal });
      await started;
      aborter.abort(new Error("enough"));
      await expect(call).rejects.toThrow("enough");
      expect(await told).toMatchObject({ requestId: 2 });
    });
  });

  describe("trouble", () => {
    it("becomes an AuthError on 401 and 403", async () => {
      let status = 401;
      const { url } = await listen((__, response) =>
        sendJson(response, { jsonrpc: "2.0", error: { code: -32000, message: "who?" } }, status++ === 401 ? 401 : 403),
      );
      const { caller } = open(url);
      await expect(caller.call("m", {})).rejects.toThrow(AuthError);
      await expect(caller.call("m", {})).rejects.toMatchObject({ code: "FORBIDDEN" });
    });

    it("the transport names the status of answers that are no MCP", async () => {
      const { url } = await listen((__, response) => response.writeHead(405).end("<html>"));
      const error = await open(url)
        .caller.call("m", {})
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(HttpStatusError);
      expect(error).toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 405 });
    });

    it("the transport fails a call whose server is not there", async () => {
      const probe = createServer();
      await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
      const { port } = probe.address() as AddressInfo;
      await new Promise((resolve) => probe.close(resolve));
      await expect(open(`http://127.0.0.1:${port}/mcp`).caller.call("m", {})).rejects.toMatchObject({
        code: "CONNECT_FAILED",
      });
    });

    it.each([
      ["a truncated body", '{"jsonrpc":"2.0","id":1,"res'],
      ["garbage", "\u0000\u0001 no json"],
    ])("the transport fails a call answered by %s", async (__, body) => {
      const { url } = await listen((___, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(body),
      );
      await expect(open(url).caller.call("m", {})).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 200 });
    });

    it("the transport fails a call whose connection is reset midway", async () => {
      const { url } = await listen((__, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
        response.write("{", () => response.destroy());
      });
      await expect(open(url).caller.call("m", {})).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    });

    it.each(["application/json", "text/event-stream"])("refuses an answer above the size limit (%s)", async (type) => {
      const { url } = await listen((__, response) => {
        response.writeHead(200, { "content-type": type });
        response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: { big: "x".repeat(5000) } })}\n\n`);
      });
      await expect(open(url, {}, { maxMessageBytes: 1000 }).caller.call("m", {})).rejects.toThrow(/1000|1,000/);
    });

    it("the transport follows a redirect within the origin and keeps the request whole", async () => {
      const { url, seen } = await listen(({ url: path, message }, response) => {
        if (path === "/mcp") response.writeHead(308, { location: "/v2/mcp" }).end();
        else sendJson(response, { jsonrpc: "2.0", id: message!.id, result: { ok: 1 } });
      });
      expect(await open(url).caller.call("m", { a: 1 })).toEqual({ ok: 1 });
      expect(seen[1]).toMatchObject({ url: "/v2/mcp", message: { params: { a: 1 } } });
    });

    it.each([301, 302, 303, 307, 308])("never follows a redirect to another origin (%i)", async (status) => {
      const other = await listen((__, response) => sendJson(response, {}));
      const { url } = await listen((__, response) => response.writeHead(status, { location: other.url }).end());
      await expect(open(url, {}, { headers: { authorization: "secret" } }).caller.call("m", {})).rejects.toMatchObject({
        code: "UNEXPECTED_RESPONSE",
      });
      expect(other.seen).toEqual([]);
    });

    it("rejects what is pending when it is closed", async () => {
      let began!: () => void;
      const started = new Promise<void>((resolve) => (began = resolve));
      const { url } = await listen(() => began());
      const { caller, transport } = open(url);
      const call = expect(caller.call("m", {})).rejects.toMatchObject({ code: "CLOSED" });
      await started;
      await transport.close();
      await call;
      await expect(caller.call("m", {})).rejects.toMatchObject({ code: "CLOSED" });
    });
  });

  it("asks for fresh headers each time when they are given as a function", async () => {
    const { url, seen } = await listen(({ message }, response) =>
      sendJson(response, { jsonrpc: "2.0", id: message!.id, result: {} }),
    );
    let n = 0;
    const { caller } = open(url, {}, { headers: async () => ({ authorization: `token ${++n}` }) });
    await caller.call("m", {});
    await caller.call("m", {});
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["token 1", "token 2"]);
  });

  it(`matches ${manyCalls} concurrent calls answered in random order`, async () => {
    const held: (() => void)[] = [];
    const { url } = await listen(({ message }, response) => {
      held.push(() => sendJson(response, { jsonrpc: "2.0", id: message!.id, result: { n: message!.params!["n"] } }));
      // A group that divides the number of calls, and is smaller than the number of connections.
      if (held.length >= 64) for (const answer of held.splice(0).toSorted(() => Math.random() - 0.5)) answer();
    });
    const { caller } = open(url);
    const results = await Promise.all(Array.from({ length: manyCalls }, (__, n) => caller.call("echo", { n })));
    expect(results.every((result, n) => (result as { n: number }).n === n)).toBe(true);
  }, 60_000);
});

it("without an older era, a transport sends messages that name no revision as they are", async () => {
  const { url, seen } = await listen(({ message }, response) => {
    if (message?.id === undefined) response.writeHead(202).end();
    else sendJson(response, { jsonrpc: "2.0", id: message.id, result: { ok: 1 } });
  });
  const transport = new HttpTransport(createHttpClient(url, {}));
  void transport.open({});
  onTestFinished(() => transport.close());
  await expect(new Caller(transport).call("m", {})).resolves.toEqual({ ok: 1 });
  await transport.notify({ jsonrpc: "2.0", method: "notifications/any" });
  expect(seen.map(({ message }) => message?.method)).toEqual(["m", "notifications/any"]);
  expect(seen[0]?.headers).not.toHaveProperty("mcp-protocol-version");
});
