import type { PeerHandlers, RequestMessage } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../../../../../test/eventually.ts";
import { createHttpTransport } from "../../../src/http.ts";
import { LegacySession, type SessionHost } from "../../../src/legacy/http/session.ts";
import { MessagePoster } from "../../../src/transports/http/post-message.ts";
import type { HttpBackend } from "../../../src/transports/http/backend.ts";
import { HttpClient } from "../../../src/transports/http/client.ts";
import { openLegacyHttp } from "../../../src/legacy/http/transport.ts";
import { HttpTransport } from "../../../src/transports/http/transport.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, openEvents, sendJson, type Seen } from "../../transports/http/listen.ts";

function initializeResult({ message }: Seen) {
  return { jsonrpc: "2.0", id: message!.id, result: { protocolVersion: "2025-11-25" } };
}

it("a request that calls itself a progress report is answered as the request it is", async () => {
  const refused = withResolvers<unknown>();
  const { url } = await listen((seen, response) => {
    const { message } = seen;
    if (message?.method === "initialize") sendJson(response, initializeResult(seen));
    else if (message?.method === undefined) {
      refused.resolve(message);
      response.writeHead(202).end();
    } else {
      const send = openEvents(response);
      send({ jsonrpc: "2.0", id: "p", method: "notifications/progress", params: { progressToken: message.id } });
      send({ jsonrpc: "2.0", id: message.id, result: { ok: 1 } });
      response.end();
    }
  });
  const transport = createHttpTransport(url);
  void transport.open({});
  onTestFinished(() => transport.close());
  const caller = new Caller(transport);
  await caller.call("initialize", { protocolVersion: "2025-11-25" });
  await expect(caller.call("tools/call", { name: "t" })).resolves.toEqual({ ok: 1 });
  expect(await refused.promise).toMatchObject({ id: "p", error: { code: -32601 } });
});

it("an answer, and what belongs to it, may come on the standalone stream", async () => {
  const standalone = withResolvers<(message: unknown) => void>();
  const { url } = await listen(async (seen, response) => {
    const { method, message } = seen;
    if (method === "GET") standalone.resolve(openEvents(response));
    else if (message?.method === "initialize") sendJson(response, initializeResult(seen));
    else if (message?.id === undefined) response.writeHead(202).end();
    else {
      openEvents(response);
      const send = await standalone.promise;
      send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: message.id, progress: 3 } });
      send({ jsonrpc: "2.0", id: message.id, result: { ok: 1 } });
    }
  });
  const transport = createHttpTransport(url);
  void transport.open({});
  onTestFinished(() => transport.close());
  const caller = new Caller(transport);
  await caller.call("initialize", { protocolVersion: "2025-11-25" });
  await transport.notify({ jsonrpc: "2.0", method: "notifications/initialized" });
  const progress: number[] = [];
  const call = caller.call("tools/call", { name: "t" }, { onProgress: (report) => progress.push(report.progress) });
  await expect(call).resolves.toEqual({ ok: 1 });
  expect(progress).toEqual([3]);
});

it("a server that forgets its sessions at once is asked for new ones ever more seldom", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  /** Opens the stream of each session, ends it, and then does not know it any more. */
  let asked = 0;
  const backend: HttpBackend = {
    spareConnections: 0,
    send(_, sink) {
      const isFirst = ++asked % 2 === 1;
      queueMicrotask(() => {
        sink.head(isFirst ? 200 : 404, () => (isFirst ? "text/event-stream" : undefined));
        sink.end();
      });
      return { mayBeSent: true, abort() {} };
    },
    async close() {},
  };
  const beginnings: number[] = [];
  const begin = (): void => {
    beginnings.push(performance.now());
    session.begin(() => "s", { protocolVersion: "2025-11-25" });
    void session.openStream();
  };
  const client = new HttpClient(new URL("http://example.com/mcp"), {}, backend);
  const host: SessionHost = { post: () => Promise.resolve(), findRequest: () => undefined };
  const session = new LegacySession(host, client, { session: { expired: begin } });
  begin();
  await vi.advanceTimersByTimeAsync(600_000);
  await vi.advanceTimersByTimeAsync(0);
  // Half a second is doubled up to a minute; and the stream has a second or so, itself, before it is asked for again.
  const waits = beginnings.slice(1).map((time, index) => time - beginnings[index]!);
  expect(waits.length).toBeGreaterThan(10);
  for (const [index, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(Math.min(500 * 2 ** index, 60_000) + 750);
    expect(wait).toBeLessThanOrEqual(Math.min(500 * 2 ** index, 60_000) + 1250 + 1);
  }
  expect(asked).toBeLessThan(2 * beginnings.length + 1);
  void session.close();
  await vi.advanceTimersByTimeAsync(1000);
});

it("a server that refuses every message because of its session is not stormed with new sessions", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const backend: HttpBackend = {
    spareConnections: 0,
    send({ body }, sink) {
      const { id, method } = JSON.parse(body ?? "{}") as Partial<RequestMessage>;
      queueMicrotask(() => {
        if (method === "initialize") {
          sink.head(200, (name) => (name === "mcp-session-id" ? `s${beginnings}` : "application/json"));
          const result = { protocolVersion: "2025-11-25" };
          sink.chunk(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id, result })));
        } else sink.head(404, () => undefined);
        sink.end();
      });
      return { mayBeSent: true, abort() {} };
    },
    async close() {},
  };
  let beginnings = 0;
  const begin = (): void => {
    if (++beginnings > 100) return;
    const ask = (): void => void transport.notify({ jsonrpc: "2.0", method: "notifications/any" }).catch(() => {});
    caller.call("initialize", { protocolVersion: "2025-11-25" }, { timeout: Infinity }).then(ask, ask);
  };
  const client = new HttpClient(new URL("http://example.com/mcp"), {}, backend);
  const transport = new HttpTransport(client, openLegacyHttp);
  void transport.open({ session: { expired: begin } });
  const caller = new Caller(transport, { timeout: Infinity, maxTimeout: Infinity });
  begin();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(beginnings).toBeGreaterThan(5);
  expect(beginnings).toBeLessThan(9);
  void transport.close();
  await vi.advanceTimersByTimeAsync(1000);
});

it("a request that is refused because its session is gone says nothing about the session that has taken its place", async () => {
  const refuse = withResolvers<void>();
  let sessions = 0;
  const { url, seen } = await listen(async (request, response) => {
    const { message, headers } = request;
    if (message?.method === "initialize") {
      sendJson(response, initializeResult(request), 200, { "mcp-session-id": `s${++sessions}` });
    } else if (message?.method === "tools/call") {
      openEvents(response)("", "id: e1\nretry: 1\n");
      response.end();
    } else {
      if (headers["mcp-session-id"] === "s1") await refuse.promise;
      response.writeHead(404).end();
    }
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const expired = vi.fn<() => void>();
  const transport = createHttpTransport(url);
  const handlers: PeerHandlers = { session: { expired } };
  void transport.open(handlers);
  const caller = new Caller(transport, { timeout: Infinity, maxTimeout: Infinity });
  await caller.call("initialize", { protocolVersion: "2025-11-25" });
  const noticed = expect(transport.notify({ jsonrpc: "2.0", method: "notifications/any" })).rejects.toMatchObject({
    code: "SESSION_EXPIRED",
  });
  // The rest of an answer is asked for after a while: here, when there is another session already.
  const call = expect(caller.call("tools/call", { name: "t" })).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  await eventually(() => expect(vi.getTimerCount()).toBeGreaterThan(1));
  await caller.call("initialize", { protocolVersion: "2025-11-25" });
  refuse.resolve();
  await noticed;
  await vi.advanceTimersByTimeAsync(10_000);
  await call;
  expect(expired).not.toHaveBeenCalled();
  expect(seen.filter(({ method }) => method === "GET")).toEqual([]);
  vi.useRealTimers();
  await transport.close();
});

it("cancellations that are never acknowledged hold up others for some seconds only", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const backend: HttpBackend = { spareConnections: 0, send: () => ({ mayBeSent: true, abort() {} }), async close() {} };
  const client = new HttpClient(new URL("http://example.com/mcp"), {}, backend);
  const poster = new MessagePoster(client, { message() {}, violation() {} });
  const post = vi.fn<SessionHost["post"]>((message, timeout) =>
    poster.send(message, {}, { explain: () => undefined, timeout }),
  );
  const session = new LegacySession({ post, findRequest: () => undefined }, client, {});
  for (let id = 1; id <= 8; id++) session.cancel({ jsonrpc: "2.0", id, method: "tools/call" }, undefined);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(post).toHaveBeenCalledTimes(8);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(vi.getTimerCount()).toBe(0);
});
