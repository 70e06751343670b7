import type { ExchangeSink, NotificationMessage, RequestMessage, ResponseMessage } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import {
  SERVER_BINDING,
  type ConnectionLink,
  type ServerDiagnostic,
  type Origin,
  type ServerBinding,
  type ServerReply,
} from "../../../src/binding.ts";
import type { Server } from "../../../src/index.ts";
import { deferred, Events, LegacyClient, modern, post, readJson } from "./client.ts";
import { PLATFORMS, type Target } from "./platforms.ts";

type Serve = (request: RequestMessage, reply: ServerReply, origin: Origin) => void;

interface Hand {
  readonly server: Server;
  readonly diagnostics: ServerDiagnostic[];
  readonly cancelled: (string | undefined)[];
  /** The way to the client of the latest session. */
  link: ConnectionLink | undefined;
}

/** A server that consists of nothing but its binding. */
function serverOf(binding: ServerBinding): Server {
  return { [SERVER_BINDING]: binding } as object as Server;
}

/** A server of which the test itself is every handler. */
function byHand(serve: Serve): Hand {
  const hand: Hand = {
    diagnostics: [],
    cancelled: [],
    link: undefined,
    server: serverOf({
      revisions: ["2026-07-28", "2025-11-25", "2025-03-26"],
      serve(request, reply, origin) {
        if (request.method === "initialize") reply.respond({ jsonrpc: "2.0", id: request.id, result: {} });
        else serve(request, reply, origin);
        return { cancel: (reason) => void hand.cancelled.push(reason) };
      },
      hear() {},
      openConnection(link) {
        hand.link = link;
        return { revision: "2025-11-25", close() {} };
      },
      open: () => () => Promise.resolve(),
      endSubscriptions() {},
      diagnose: (event) => void hand.diagnostics.push(event),
      refused() {},
    }),
  };
  return hand;
}

const answer = (id: string | number, result: object = {}): ResponseMessage => ({ jsonrpc: "2.0", id, result });
const note = (data: unknown): NotificationMessage => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { data },
});
const question: RequestMessage = { jsonrpc: "2.0", id: 41, method: "roots/list" };

/** Collects what becomes of a question. */
function listen(): ExchangeSink & { heard: NotificationMessage[]; settled: Promise<ResponseMessage | Error> } {
  const { promise, resolve } = deferred<ResponseMessage | Error>();
  const heard: NotificationMessage[] = [];
  return {
    heard,
    settled: promise,
    notification: (message) => void heard.push(message),
    response: resolve,
    failed: resolve,
  };
}

describe.each(PLATFORMS)("the reply of a handler on $name", ({ start }) => {
  async function serve(handle: Serve): Promise<Hand & Target> {
    const hand = byHand(handle);
    return Object.assign(hand, await start(hand.server, { closeTimeout: 100 }));
  }

  test("the first response counts; what comes after it is ignored", async () => {
    const target = await serve((request, reply) => {
      reply.respond(answer(request.id, { first: true }));
      reply.respond(answer(request.id, { first: false }));
      void reply.notify(note("too late"));
    });
    expect((await readJson(await target.send(modern("x")))).result).toEqual({ first: true });
    expect(target.cancelled).toEqual([]);
  });

  test("a result that JSON cannot hold is an internal error, and the operator is told", async () => {
    const target = await serve((request, reply) => reply.respond(answer(request.id, { n: 1n })));
    expect((await readJson(await target.send(modern("x", {}, { id: 3 })))).error).toEqual({
      code: -32603,
      message: "Internal error",
    });
    expect(String(target.diagnostics[0]?.error)).toContain("BigInt");
  });

  test("a notification that JSON cannot hold is the handler's to hear of, and nothing is sent of it", async () => {
    const target = await serve((request, reply) => {
      expect(() => reply.notify(note(1n))).toThrow("BigInt");
      reply.respond(answer(request.id));
    });
    expect((await readJson(await target.send(modern("x")))).result).toEqual({});
  });

  test("a handler that floods its client before it waits for anything hears nothing of being cut off", async () => {
    const hand = byHand((request, reply) => {
      for (let n = 0; n < 50; n += 1) void reply.notify(note("x".repeat(10_000)));
      reply.respond(answer(request.id));
    });
    const target = await start(hand.server, { maxQueuedBytes: 100_000 });
    const client = await LegacyClient.open(target);
    for (const send of [() => target.send(modern("x")), () => client.request("x")]) {
      await expect(send().then((response) => response.text())).rejects.toBeInstanceOf(Error);
    }
    expect(hand.diagnostics).toEqual([]);
  });

  test("maxQueuedBytes counts bytes, not characters", async () => {
    const hand = byHand((request, reply) => {
      // 60 000 characters, of three bytes each.
      for (let n = 0; n < 30; n += 1) void reply.notify(note("€".repeat(2000)));
      reply.respond(answer(request.id));
    });
    const small = await start(hand.server, { maxQueuedBytes: 100_000 });
    await expect(small.send(modern("x")).then((response) => response.text())).rejects.toBeInstanceOf(Error);
    const large = await start(hand.server, { maxQueuedBytes: 200_000 });
    await expect(large.send(modern("x")).then((response) => response.text())).resolves.toContain("€".repeat(2000));
  });

  test("only requests of a session can ask back", async () => {
    const replies: boolean[] = [];
    const target = await serve((request, reply) => {
      replies.push(reply.exchange !== undefined);
      reply.respond(answer(request.id));
    });
    await (await target.send(modern("x"))).text();
    await (await target.send(post({ jsonrpc: "2.0", id: 1, method: "x" }))).text();
    await (await (await LegacyClient.open(target)).request("x")).text();
    expect(replies).toEqual([false, false, true]);
  });

  test("the client's progress and answer reach the asking handler, once", async () => {
    const sink = listen();
    const target = await serve((request, reply) => {
      reply.exchange?.(question, sink);
      void sink.settled.then(() => reply.respond(answer(request.id)));
    });
    const client = await LegacyClient.open(target);
    const events = new Events(await client.request("x"));
    expect(await events.message()).toEqual(question);
    await client.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 41, progress: 1 } });
    await client.send({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: "other", progress: 1 },
    });
    expect((await client.send(answer(41, { roots: [] }))).status).toBe(202);
    // A second answer comes too late, which happens.
    expect((await client.send(answer(41, { roots: [1] }))).status).toBe(202);
    expect(await sink.settled).toEqual(answer(41, { roots: [] }));
    expect(sink.heard.map(({ params }) => params)).toEqual([{ progressToken: 41, progress: 1 }]);
    expect(await events.rest()).toHaveLength(1);
  });

  test("giving up on a question tells the client so, on the same stream", async () => {
    const target = await serve((request, reply) => {
      const asked = reply.exchange?.(question, listen());
      asked?.cancel("took too long");
      asked?.cancel("again");
      reply.respond(answer(request.id));
    });
    const client = await LegacyClient.open(target);
    const messages = await new Events(await client.request("x", {}, 9)).rest();
    expect(messages.map(({ method, id, params }) => [method ?? id, params])).toEqual([
      ["roots/list", undefined],
      ["notifications/cancelled", { requestId: 41, reason: "took too long" }],
      [9, undefined],
    ]);
  });

  test("a client that takes no stream for its request can be asked on its standalone stream, or not at all", async () => {
    const outcomes: Promise<ResponseMessage | Error>[] = [];
    const target = await serve((request, reply) => {
      const sink = listen();
      outcomes.push(sink.settled);
      reply.exchange?.(question, sink);
      void sink.settled.then(() => reply.respond(answer(request.id)));
    });
    const client = await LegacyClient.open(target);
    const alone = await client.send({ jsonrpc: "2.0", id: 1, method: "x" }, { accept: "application/json" });
    expect((await readJson(alone)).id).toBe(1);
    expect(await outcomes[0]).toMatchObject({ code: "CONNECT_FAILED" });
    const standalone = new Events(await client.get());
    const waiting = client.send({ jsonrpc: "2.0", id: 2, method: "x" }, { accept: "application/json" });
    expect(await standalone.message()).toEqual(question);
    await client.send(answer(41));
    expect((await readJson(await waiting)).id).toBe(2);
    await standalone.cancel();
  });

  test("the end of a session fails what was asked in it", async () => {
    const sink = listen();
    const target = await serve((_request, reply) => void reply.exchange?.(question, sink));
    const client = await LegacyClient.open(target);
    const events = new Events(await client.request("x"));
    await events.message();
    await client.delete();
    expect(await sink.settled).toMatchObject({ code: "CLOSED" });
    expect(await events.rest()).toEqual([]);
    expect(target.cancelled).toEqual(["the session ended"]);
  });

  test("messages that belong to no request go nowhere unless the client listens", async () => {
    const target = await serve((request, reply) => reply.respond(answer(request.id)));
    const client = await LegacyClient.open(target);
    void target.link?.notify?.(note("unheard"));
    const sink = listen();
    target.link?.exchange?.(question, sink);
    expect(await sink.settled).toMatchObject({ code: "CONNECT_FAILED" });
    const events = new Events(await client.get());
    void target.link?.notify?.(note("heard"));
    expect((await events.message())?.params).toEqual({ data: "heard" });
    await events.cancel();
  });

  test("the origin that the binding knows of a request is passed on", async () => {
    const origins: Origin[] = [];
    const target = await serve((request, reply, origin) => {
      origins.push(origin);
      reply.respond(answer(request.id));
    });
    const client = await LegacyClient.open(target);
    await (await client.request("x")).text();
    await (await client.request("y")).text();
    await (
      await target.send(
        post({ jsonrpc: "2.0", id: 1, method: "x" }, { "mcp-protocol-version": "2025-11-25", "x-a": "b" }),
      )
    ).text();
    expect(origins.map(({ binding }) => binding)).toEqual(["http", "http", "http"]);
    expect(origins[0]?.connection).toBe(origins[1]?.connection);
    expect(origins[0]?.connection).not.toBe(origins[2]?.connection);
    expect(origins.map(({ state, protocolVersion }) => [state?.revision, protocolVersion])).toEqual([
      ["2025-11-25", "2025-11-25"],
      ["2025-11-25", "2025-11-25"],
      [undefined, "2025-11-25"],
    ]);
    expect(origins[2]?.header?.("x-a")).toBe("b");
  });
});
