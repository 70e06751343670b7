import { ProtocolViolation, type ExchangeTransport, type PeerHandlers } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createHttpTransport } from "../../../src/http.ts";
import { ResumableStream, type StreamHost } from "../../../src/legacy/http/stream.ts";
import type { HttpBackend } from "../../../src/transports/http/backend.ts";
import { HttpClient } from "../../../src/transports/http/client.ts";
import { stopClock } from "../../stopped-clock.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, openEvents, sendJson, type Seen } from "../../transports/http/listen.ts";
import type { ServerResponse } from "node:http";
import { createUndiciTransport } from "../../transports/http/backends.ts";

/** Answers everything of a legacy session but its stream. */
function serveSession({ message }: Seen, response: ServerResponse): void {
  if (message?.method === "initialize") {
    sendJson(response, { jsonrpc: "2.0", id: message.id, result: { protocolVersion: "2025-11-25" } });
  } else if (message?.id === undefined) response.writeHead(202).end();
  else sendJson(response, { jsonrpc: "2.0", id: message.id, result: {} });
}

async function openSession(transport: ExchangeTransport, handlers: PeerHandlers = {}) {
  void transport.open(handlers);
  onTestFinished(() => transport.close());
  const caller = new Caller(transport, { timeout: 20_000 });
  await caller.call("initialize", { protocolVersion: "2025-11-25" });
  await transport.notify({ jsonrpc: "2.0", method: "notifications/initialized" });
  return caller;
}

it("a stream that says nothing before its first event delays nothing for long, and is heard when it speaks", async () => {
  const quiet = withResolvers<ServerResponse>();
  const { url } = await listen((seen, response) => {
    if (seen.method === "GET") quiet.resolve(response);
    else serveSession(seen, response);
  });
  const heard = withResolvers<string>();
  await openSession(createHttpTransport(url), { notification: ({ method }) => heard.resolve(method) });
  openEvents(await quiet.promise)({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  expect(await heard.promise).toBe("notifications/tools/list_changed");
});

it("a stream with an event above the size limit is cut off before it is opened again", async () => {
  const cut = withResolvers<void>();
  const again = withResolvers<string | undefined>();
  let isFirst = true;
  const { url } = await listen((seen, response) => {
    if (seen.method !== "GET") return serveSession(seen, response);
    if (!isFirst) return again.resolve(seen.headers["last-event-id"] as string | undefined);
    isFirst = false;
    openEvents(response)("", "retry: 1\nid: e1\n");
    response.on("close", cut.resolve);
    response.write(`data: ${"x".repeat(5000)}`);
  });
  const told = withResolvers<unknown>();
  await openSession(createHttpTransport(url, { maxMessageBytes: 1000 }), { violation: told.resolve });
  expect(await told.promise).toMatchObject({ code: "TOO_LARGE" });
  await cut.promise;
  expect(await again.promise).toBe("e1");
});

it("an answer with an event above the size limit is cut off, and not asked for again", async () => {
  const cut = withResolvers<void>();
  const { url, seen } = await listen((request, response) => {
    if (request.method === "GET") response.writeHead(405).end();
    else if (request.message?.method !== "tools/call") serveSession(request, response);
    else {
      openEvents(response)("", "retry: 1\nid: e1\n");
      response.on("close", cut.resolve);
      response.write(`data: ${"x".repeat(5000)}`);
    }
  });
  const caller = await openSession(createHttpTransport(url, { maxMessageBytes: 1000 }));
  const call = caller.call("tools/call", {});
  await expect(call).rejects.toBeInstanceOf(ProtocolViolation);
  await expect(call).rejects.toMatchObject({ code: "TOO_LARGE" });
  await cut.promise;
  expect(seen.filter(({ method }) => method === "GET")).toHaveLength(1);
});

it("the rest of an answer that is above the size limit fails it with that reason", async () => {
  const { url } = await listen((request, response) => {
    if (request.headers["last-event-id"] !== undefined) {
      openEvents(response);
      response.write(`data: ${"x".repeat(5000)}`);
    } else if (request.method === "GET") response.writeHead(405).end();
    else if (request.message?.method !== "tools/call") serveSession(request, response);
    else {
      openEvents(response)("", "retry: 1\nid: e1\n");
      response.end();
    }
  });
  const caller = await openSession(createHttpTransport(url, { maxMessageBytes: 1000 }));
  await expect(caller.call("tools/call", {})).rejects.toMatchObject({ code: "TOO_LARGE" });
});

it.each([
  ["a time that no timer can count", 5_000_000_000, 0],
  ["no time at all", 0, 4],
])("a server that asks to come back after %s is not stormed", async (_, retryMs, most) => {
  const { url, seen } = await listen((request, response) => {
    if (request.method === "GET" || request.message?.method === "tools/call") {
      openEvents(response)("", `retry: ${retryMs}\nid: e1\n`);
      response.end();
    } else serveSession(request, response);
  });
  const caller = await openSession(createHttpTransport(url));
  const before = seen.length;
  await expect(caller.call("tools/call", {}, { timeout: 300 })).rejects.toMatchObject({ code: "TIMEOUT" });
  const asked = seen.slice(before).filter(({ method }) => method === "GET");
  expect(asked.length).toBeLessThanOrEqual(most);
});

it.each([
  [401, { code: "UNAUTHORIZED", challenge: "Bearer" }],
  [403, { code: "FORBIDDEN", challenge: "Bearer" }],
])("an answer whose rest is refused by %i fails at once, as one that was refused whole", async (status, refusal) => {
  const { url, seen } = await listen((request, response) => {
    if (request.headers["last-event-id"] !== undefined) {
      response.writeHead(status, { "www-authenticate": "Bearer" }).end();
    } else if (request.method === "GET") response.writeHead(405).end();
    else if (request.message?.method === "tools/call") {
      openEvents(response)("", "retry: 1\nid: e1\n");
      response.end();
    } else serveSession(request, response);
  });
  const caller = await openSession(createHttpTransport(url));
  await expect(caller.call("tools/call", {})).rejects.toMatchObject(refusal);
  expect(seen.filter(({ headers }) => headers["last-event-id"] === "e1")).toHaveLength(1);
});

describe("a stream that cannot be heard is reported once, and not asked for again", () => {
  /** The diagnostics about a stream, over a session that goes on. */
  async function toldOf(serveStream: (response: ServerResponse) => void) {
    const { url, seen } = await listen((request, response) => {
      if (request.method === "GET") serveStream(response);
      else serveSession(request, response);
    });
    const told = vi.fn<(error: ProtocolViolation) => void>();
    const caller = await openSession(createHttpTransport(url), { violation: told });
    await caller.call("tools/list", {});
    return { told, asked: () => seen.filter(({ method }) => method === "GET").length };
  }

  it.each([
    [400, { code: "UNEXPECTED_RESPONSE", status: 400 }],
    [401, { code: "UNAUTHORIZED", challenge: "Bearer" }],
    [403, { code: "FORBIDDEN" }],
    [406, { code: "UNEXPECTED_RESPONSE", status: 406 }],
    [410, { code: "UNEXPECTED_RESPONSE", status: 410 }],
  ])("because of the status %i", async (status, cause) => {
    const { told, asked } = await toldOf((response) =>
      response.writeHead(status, { "www-authenticate": "Bearer" }).end(),
    );
    expect(told).toHaveBeenCalledOnce();
    expect(told.mock.lastCall?.[0]).toMatchObject({ code: "NO_STREAM", cause });
    expect(asked()).toBe(1);
  });

  it("because it is no event stream", async () => {
    const { told, asked } = await toldOf((response) => sendJson(response, { hello: "world" }));
    expect(told).toHaveBeenCalledOnce();
    expect(told.mock.lastCall?.[0].message).toContain("is no stream of events");
    expect(asked()).toBe(1);
  });

  it("because it is compressed, though it was asked for as it is", async () => {
    const { url, seen } = await listen((request, response) => {
      if (request.method === "GET") openEvents(response, { "content-encoding": "br" });
      else serveSession(request, response);
    });
    const told = vi.fn<(error: ProtocolViolation) => void>();
    const caller = await openSession(createUndiciTransport(url), { violation: told });
    await caller.call("tools/list", {});
    expect(told).toHaveBeenCalledOnce();
    expect(told.mock.lastCall?.[0]).toMatchObject({ code: "NO_STREAM", cause: { status: 200 } });
    expect(seen.filter(({ method }) => method === "GET")).toHaveLength(1);
  });

  it("because it is nothing but noise", async () => {
    stopClock();
    const ended = withResolvers<void>();
    const { told, asked } = await toldOf((response) => {
      response.on("close", ended.resolve);
      openEvents(response);
      response.write("data: y\n\n".repeat(100_000));
    });
    await ended.promise;
    expect(told.mock.calls.map(([{ code }]) => code)).toEqual([
      ...Array.from({ length: 10 }, () => "PARSE_ERROR"),
      "NO_STREAM",
    ]);
    expect(asked()).toBe(1);
  });

  it.each([404, 405])(
    "a refusal with status %i is not reported, because it says that there is no stream",
    async (status) => {
      const { told, asked } = await toldOf((response) => response.writeHead(status).end());
      expect(told).not.toHaveBeenCalled();
      expect(asked()).toBe(1);
    },
  );
});

describe("a stream that is put off", () => {
  /** Opens a stream whose server always gives this status, and lets an hour go by. */
  async function askForAnHour(status: number) {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const refused = vi.fn<(reason: Error) => void>();
    let asked = 0;
    const url = new URL("http://example.com/mcp");
    const backend: HttpBackend = {
      spareConnections: 0,
      send(_, sink) {
        asked += 1;
        queueMicrotask(() => {
          sink.head(status, () => undefined);
          sink.end();
        });
        return { mayBeSent: true, abort() {} };
      },
      async close() {},
    };
    const client = new HttpClient(url, {}, backend);
    const host: StreamHost = { listen: (__, sink) => client.send("GET", {}, undefined, sink) };
    const stream = new ResumableStream(host, { message() {}, violation() {}, ended() {}, refused });
    void stream.open();
    await vi.advanceTimersByTimeAsync(3_600_000);
    stream.close();
    return { refused, asked };
  }

  it("a stream that is put off is given up after a while", async () => {
    const { refused, asked } = await askForAnHour(429);
    expect(asked).toBe(10);
    expect(refused).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 429 }));
  });

  it("a stream that is put off is asked for again and again, but seldom, if its server just fails", async () => {
    const { refused, asked } = await askForAnHour(503);
    expect(asked).toBeGreaterThan(50);
    expect(asked).toBeLessThan(200);
    expect(refused).not.toHaveBeenCalled();
  });
});

describe("a stream that broke without its server noticing, and is one too many to it (409),", () => {
  /** Asks for a stream until it is over. The server gives these statuses, and the last of them from then on. */
  async function ask(statuses: readonly number[], lastEventId?: string) {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sink = { message: vi.fn(), violation() {}, ended: vi.fn(), refused: vi.fn() };
    let asked = 0;
    const backend: HttpBackend = {
      spareConnections: 0,
      send(_, answer) {
        const status = statuses[Math.min(asked++, statuses.length - 1)]!;
        queueMicrotask(() => {
          answer.head(status, () => "text/event-stream");
          if (asked === statuses.length && status === 200) {
            answer.chunk(new TextEncoder().encode('data: {"jsonrpc":"2.0","method":"notifications/any"}\n\n'));
          } else answer.end();
        });
        return { mayBeSent: true, abort() {} };
      },
      async close() {},
    };
    const client = new HttpClient(new URL("http://example.com/mcp"), {}, backend);
    const host: StreamHost = { listen: (__, answer) => client.send("GET", {}, undefined, answer) };
    const stream = new ResumableStream(host, sink, { lastEventId });
    void stream.open();
    await vi.advanceTimersByTimeAsync(3_600_000);
    stream.close();
    return { ...sink, asked };
  }

  it("a stream that broke without its server noticing, and is one too many to it (409), is asked for again", async () => {
    const { message, refused } = await ask([200, 409, 409, 200]);
    expect(message).toHaveBeenCalledOnce();
    expect(refused).not.toHaveBeenCalled();
  });

  it("a stream that broke without its server noticing, and is one too many to it (409), is asked for again if it is the rest of an answer", async () => {
    const { message, ended } = await ask([409, 200], "e1");
    expect(message).toHaveBeenCalledOnce();
    expect(ended).not.toHaveBeenCalled();
  });

  it("a stream that broke without its server noticing, and is one too many to it (409), is given up after a while", async () => {
    const { refused, asked } = await ask([200, 409]);
    expect(asked).toBe(11);
    expect(refused).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 409 }));
  });

  it("a stream that broke without its server noticing, and is one too many to it (409), is refused if there never was one", async () => {
    const { refused, asked } = await ask([409]);
    expect(asked).toBe(1);
    expect(refused).toHaveBeenCalledOnce();
  });
});
