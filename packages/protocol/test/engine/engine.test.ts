import { describe, expect, it, vi } from "vitest";
import { Caller, CountedRequests, Multiplexer } from "../../src/internal.ts";
import {
  createMemoryChannels,
  ErrorCode,
  MalformedMessage,
  type Exchange,
  type PeerHandlers,
  type ProtocolViolation,
  type Reply,
  type RequestMessage,
  RpcError,
  TransportError,
} from "../../src/index.ts";
import { scriptChannel, type ScriptedChannel } from "./scripted-channel.ts";

const IDLE: Exchange = { cancel() {} };

/** A promise that the test settles. */
function settleLater(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A caller on one end of a memory pair, and whatever the other end does with requests. */
function link(
  handlers: PeerHandlers,
  violations: ProtocolViolation[] = [],
): { caller: Caller; near: Multiplexer; far: Multiplexer } {
  const [left, right] = createMemoryChannels();
  const near = new Multiplexer(left);
  const far = new Multiplexer(right);
  void near.open({ violation: (error) => violations.push(error) });
  void far.open(handlers);
  return { caller: new Caller(near), near, far };
}

describe("matching", () => {
  it("matches ten thousand calls answered in reverse order, each to its own", async () => {
    const held: [RequestMessage, Reply][] = [];
    const { caller } = link({
      request(request, reply) {
        held.push([request, reply]);
        if (held.length === 10_000) {
          for (const [{ id, params }, each] of held.toReversed()) {
            each.respond({ jsonrpc: "2.0", id, result: { echo: params } });
          }
        }
        return IDLE;
      },
    });
    const results = await Promise.all(Array.from({ length: 10_000 }, (_, n) => caller.call("echo", { n })));
    expect(results.every((result, n) => (result as { echo: { n: number } }).echo.n === n)).toBe(true);
  });

  it('tells the ids 1 and "1" apart', () => {
    const { channel, receiver } = scriptChannel();
    const violations: ProtocolViolation[] = [];
    const multiplexer = new Multiplexer(channel);
    void multiplexer.open({ violation: (error) => violations.push(error) });
    const response = vi.fn();
    multiplexer.exchange({ jsonrpc: "2.0", id: 1, method: "m" }, { response, notification() {}, failed() {} });
    receiver().message({ jsonrpc: "2.0", id: "1", result: {} });
    expect(response).not.toHaveBeenCalled();
    expect(violations.map(({ code }) => code)).toEqual(["UNKNOWN_RESPONSE"]);
    receiver().message({ jsonrpc: "2.0", id: 1, result: {} });
    expect(response).toHaveBeenCalledOnce();
  });

  it("reports late, duplicate and unknown responses, and goes on", async () => {
    const { channel, receiver } = scriptChannel();
    const codes: string[] = [];
    const multiplexer = new Multiplexer(channel);
    void multiplexer.open({ violation: ({ code }) => codes.push(code) });
    const caller = new Caller(multiplexer);
    const aborter = new AbortController();
    const late = caller.call("a", undefined, { signal: aborter.signal });
    aborter.abort(new Error("enough"));
    await expect(late).rejects.toThrow("enough");
    const answered = caller.call("b", undefined);
    receiver().message({ jsonrpc: "2.0", id: 2, result: {} });
    await answered;
    for (const id of [1, 2, 99, "x"]) receiver().message({ jsonrpc: "2.0", id, result: {} });
    receiver().message({ jsonrpc: "2.0", error: { code: -32700, message: "what?" } });
    expect(codes).toEqual([
      "LATE_RESPONSE",
      "DUPLICATE_RESPONSE",
      "UNKNOWN_RESPONSE",
      "UNKNOWN_RESPONSE",
      "UNKNOWN_RESPONSE",
    ]);
    const after = caller.call("c", undefined);
    receiver().message({ jsonrpc: "2.0", id: 3, result: { fine: true } });
    expect(await after).toEqual({ fine: true });
  });

  it("turns an error response into an RpcError with code and data", async () => {
    const { caller } = link({
      request({ id }, reply) {
        reply.respond({ jsonrpc: "2.0", id, error: { code: -32602, message: "bad", data: { path: "a" } } });
        return IDLE;
      },
    });
    const error = await caller.call("m", {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: ErrorCode.InvalidParams, message: "bad", data: { path: "a" } });
  });
});

describe("cancellation", () => {
  it("reaches the handler with its reason, and no response follows", async () => {
    const cancelled = vi.fn();
    let reply: Reply | undefined;
    const began = deferred();
    const ended = deferred();
    const { caller, far } = link({
      request(_, given) {
        reply = given;
        began.resolve();
        return {
          cancel(reason) {
            cancelled(reason);
            ended.resolve();
          },
        };
      },
    });
    const aborter = new AbortController();
    const call = caller.call("slow", undefined, { signal: aborter.signal });
    await began.promise;
    aborter.abort(new Error("stop"));
    await expect(call).rejects.toThrow("stop");
    await ended.promise;
    expect(cancelled).toHaveBeenCalledWith("the caller cancelled it");
    expect(far.inFlight).toBe(0);
    reply!.respond({ jsonrpc: "2.0", id: 1, result: {} });
  });

  it("sends nothing when the signal was aborted before the call", async () => {
    const { channel, sent } = scriptChannel();
    const multiplexer = new Multiplexer(channel);
    void multiplexer.open({});
    await expect(new Caller(multiplexer).call("m", {}, { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow(
      "no",
    );
    expect(sent).toEqual([]);
  });

  it("never cancels initialize, which the spec forbids", async () => {
    const { channel, sent } = scriptChannel();
    const multiplexer = new Multiplexer(channel);
    void multiplexer.open({});
    const aborter = new AbortController();
    const call = new Caller(multiplexer).call("initialize", {}, { signal: aborter.signal });
    aborter.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    expect(sent).toHaveLength(1);
  });

  it("ignores cancellation of unknown requests and malformed cancellations", () => {
    const { channel, sent, receiver } = scriptChannel();
    const multiplexer = new Multiplexer(channel);
    void multiplexer.open({ request: () => IDLE });
    for (const params of [undefined, {}, { requestId: 5 }, { requestId: { a: 1 } }]) {
      receiver().message({ jsonrpc: "2.0", method: "notifications/cancelled", ...(params && { params }) });
    }
    expect(sent).toEqual([]);
  });
});

describe("time", () => {
  it("gives up after the timeout, tells the peer, and says what to do", async () => {
    vi.useFakeTimers();
    try {
      const { channel, sent } = scriptChannel();
      const multiplexer = new Multiplexer(channel);
      void multiplexer.open({});
      const call = new Caller(multiplexer, { timeout: 1000 }).call("slow", undefined);
      const outcome = expect(call).rejects.toMatchObject({
        code: "TIMEOUT",
        message: expect.stringContaining("`timeout`"),
      });
      await vi.advanceTimersByTimeAsync(1001);
      await outcome;
      expect(sent[1]).toEqual({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: 1, reason: "it took too long" },
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it("starts the clock again on progress, up to the ceiling", async () => {
    vi.useFakeTimers();
    try {
      const { channel, receiver } = scriptChannel();
      const multiplexer = new Multiplexer(channel);
      void multiplexer.open({});
      const seen: number[] = [];
      const call = new Caller(multiplexer).call("slow", undefined, {
        timeout: 1000,
        maxTimeout: 2500,
        onProgress: ({ progress }) => seen.push(progress),
      });
      const outcome = expect(call).rejects.toMatchObject({
        code: "TIMEOUT",
        message: expect.stringContaining("`maxTimeout`"),
      });
      for (const progress of [1, 2, 3, 4]) {
        await vi.advanceTimersByTimeAsync(600);
        receiver().message({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken: 1, progress },
        });
      }
      expect(seen).toEqual([1, 2, 3, 4]);
      await vi.advanceTimersByTimeAsync(101);
      await outcome;
    } finally {
      vi.useRealTimers();
    }
  });

  it("keeps a call with its own longer timeout when others expire", async () => {
    vi.useFakeTimers();
    try {
      const { channel, receiver } = scriptChannel();
      const multiplexer = new Multiplexer(channel);
      void multiplexer.open({});
      const caller = new Caller(multiplexer, { timeout: 100 });
      const short = expect(caller.call("a", undefined)).rejects.toMatchObject({ code: "TIMEOUT" });
      const long = caller.call("b", undefined, { timeout: 5000 });
      const shorter = expect(caller.call("c", undefined, { timeout: 10 })).rejects.toMatchObject({ code: "TIMEOUT" });
      await vi.advanceTimersByTimeAsync(200);
      await short;
      await shorter;
      receiver().message({ jsonrpc: "2.0", id: 2, result: { ok: 1 } });
      expect(await long).toEqual({ ok: 1 });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("progress", () => {
  it("uses the request's id as token and keeps other metadata", async () => {
    const seen: unknown[] = [];
    const { caller } = link({
      request({ id, params }, reply) {
        expect(params).toEqual({ a: 1, _meta: { trace: "x", progressToken: id } });
        const progress = (n: number, rest: object = {}): void =>
          void reply.notify({
            jsonrpc: "2.0",
            method: "notifications/progress",
            params: { progressToken: id, progress: n, ...rest },
          });
        progress(1, { total: 2, message: "half" });
        progress(0.5);
        progress(2);
        reply.respond({ jsonrpc: "2.0", id, result: {} });
        progress(3);
        return IDLE;
      },
    });
    await caller.call("m", { a: 1, _meta: { trace: "x" } }, { onProgress: (report) => seen.push(report) });
    expect(seen).toEqual([{ progress: 1, total: 2, message: "half" }, { progress: 2 }]);
  });

  it.each([
    [
      "throws",
      (): never => {
        throw new Error("listener");
      },
    ],
    ["rejects", () => Promise.reject(new Error("listener"))],
  ])("rejects the call when the listener %s, and the connection goes on", async (_, onProgress) => {
    const { caller } = link({
      request({ id, method }, reply) {
        void reply.notify({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken: id, progress: 1 },
        });
        if (method === "fine") reply.respond({ jsonrpc: "2.0", id, result: {} });
        return IDLE;
      },
    });
    const call = caller.call("m", {}, { onProgress });
    await expect(call).rejects.toThrow("listener");
    expect(await caller.call("fine", {})).toEqual({});
  });
});

describe("closing", () => {
  it("rejects everything pending with one clear error, and closing twice is safe", async () => {
    const { caller, near } = link({ request: () => IDLE });
    const calls = [caller.call("a", {}), caller.call("b", {})];
    const outcomes = Promise.allSettled(calls);
    await Promise.all([near.close(), near.close()]);
    await near.close();
    const errors = (await outcomes).map((outcome) => (outcome as PromiseRejectedResult).reason as TransportError);
    expect(errors[0]).toBe(errors[1]);
    expect(errors[0]).toMatchObject({ code: "CLOSED" });
    await expect(caller.call("c", {})).rejects.toMatchObject({ code: "CLOSED" });
  });

  it("cancels the requests of the peer, once, and reports why the connection ended", async () => {
    const cancelled = vi.fn();
    const closed = vi.fn();
    const { channel, receiver } = scriptChannel();
    const multiplexer = new Multiplexer(channel);
    void multiplexer.open({ request: () => ({ cancel: cancelled }), closed });
    receiver().message({ jsonrpc: "2.0", id: 1, method: "m" });
    const reason = new TransportError("CONNECTION_LOST", "gone");
    receiver().closed(reason);
    receiver().closed();
    expect(cancelled).toHaveBeenCalledOnce();
    expect(closed).toHaveBeenCalledExactlyOnceWith(reason);
  });
});

describe("requests of the peer", () => {
  function serve(handlers: PeerHandlers, options?: { maxInFlight: number }): ScriptedChannel {
    const script = scriptChannel();
    void new Multiplexer(script.channel, options).open(handlers);
    return script;
  }

  it("are refused with -32601 if there is no handler", () => {
    const { sent, receiver } = serve({});
    receiver().message({ jsonrpc: "2.0", id: 1, method: "m" });
    expect(sent).toMatchObject([{ id: 1, error: { code: -32601 } }]);
  });

  it("are refused when their id is still in the works", () => {
    const violation = vi.fn();
    const { sent, receiver } = serve({ request: () => IDLE, violation });
    receiver().message({ jsonrpc: "2.0", id: 1, method: "m" });
    receiver().message({ jsonrpc: "2.0", id: 1, method: "m" });
    expect(sent).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    expect(violation.mock.calls[0]![0]).toMatchObject({ code: "DUPLICATE_REQUEST" });
  });

  it("are refused above the limit, and served again once there is room", () => {
    const replies: [RequestMessage, Reply][] = [];
    const { sent, receiver } = serve(
      { request: (request, reply) => (replies.push([request, reply]), IDLE) },
      { maxInFlight: 2 },
    );
    for (const id of [1, 2, 3]) receiver().message({ jsonrpc: "2.0", id, method: "m" });
    expect(sent).toMatchObject([{ id: 3, error: { code: -32603 } }]);
    replies[0]![1].respond({ jsonrpc: "2.0", id: 1, result: {} });
    receiver().message({ jsonrpc: "2.0", id: 4, method: "m" });
    expect(replies.map(([{ id }]) => id)).toEqual([1, 2, 4]);
  });

  describe("if their work goes on", () => {
    /** Serves with room for one request, and keeps the replies. */
    function serveOne(onCancel: (reply: Reply) => void = () => undefined): ScriptedChannel & { begun: Reply[] } {
      const begun: Reply[] = [];
      const script = serve(
        { request: (_, reply) => (begun.push(reply), { cancel: () => onCancel(reply) }) },
        { maxInFlight: 1 },
      );
      return { ...script, begun };
    }

    const REQUEST = { jsonrpc: "2.0", id: 1, method: "m" } as const;
    const REFUSAL = { id: 1, error: { code: -32603, message: expect.stringContaining("limit 1") as string } };

    it("count until it has ended after they were answered, while their ids are free", async () => {
      const { begun, sent, receiver } = serveOne();
      receiver().message(REQUEST);
      const { promise, resolve } = settleLater();
      begun[0]?.busyUntil?.(promise);
      begun[0]?.respond({ jsonrpc: "2.0", id: 1, result: {} });
      receiver().message(REQUEST);
      expect(sent.at(-1)).toMatchObject(REFUSAL);
      resolve();
      await promise;
      receiver().message(REQUEST);
      expect(begun).toHaveLength(2);
    });

    it("count until it has ended after they were cancelled, while their ids are free", async () => {
      const { promise, resolve } = settleLater();
      const { begun, sent, receiver } = serveOne((reply) => reply.busyUntil?.(promise));
      receiver().message(REQUEST);
      receiver().message({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
      receiver().message(REQUEST);
      expect(sent).toMatchObject([REFUSAL]);
      resolve();
      await promise;
      receiver().message(REQUEST);
      expect(begun).toHaveLength(2);
    });

    it("count on a limit that connections share, also after their own connection has ended", async () => {
      const { promise, resolve } = settleLater();
      const limit = new CountedRequests(1);
      const open = (): ScriptedChannel => {
        const script = scriptChannel();
        const multiplexer = new Multiplexer(script.channel, { maxInFlight: limit });
        void multiplexer.open({ request: (_, reply) => ({ cancel: () => reply.busyUntil?.(promise) }) });
        return script;
      };
      const [first, second] = [open(), open()];
      first.receiver().message({ jsonrpc: "2.0", id: 1, method: "m" });
      first.receiver().closed();
      second.receiver().message({ jsonrpc: "2.0", id: 2, method: "m" });
      expect(second.sent).toMatchObject([{ id: 2, error: { code: -32603 } }]);
      resolve();
      await promise;
      expect(limit.count).toBe(0);
    });
  });

  it("are reported and not answered if the peer may send none, also if they are duplicate, malformed or in a batch", () => {
    const violation = vi.fn();
    const request = vi.fn(() => IDLE);
    const { sent, receiver } = serve(
      { request, violation, rules: { allowsRequests: () => false } },
      { maxInFlight: 1 },
    );
    for (const id of [1, 1, 2]) receiver().message({ jsonrpc: "2.0", id, method: "m" });
    receiver().malformed(new MalformedMessage(-32600, "broken", { id: 3 }));
    receiver().batch([{ jsonrpc: "2.0", id: 4, method: "m" }]);
    expect(sent).toEqual([]);
    expect(request).not.toHaveBeenCalled();
    expect(violation.mock.calls.map(([{ code }]) => code as string)).toEqual([
      "UNEXPECTED_REQUEST",
      "UNEXPECTED_REQUEST",
      "UNEXPECTED_REQUEST",
      "INVALID_MESSAGE",
      "INVALID_MESSAGE",
    ]);
  });

  it("start no work once the connection has ended, even if the request before them in the same batch ended it", () => {
    const request = vi.fn((): typeof IDLE => (receiver().closed(), IDLE));
    const { sent, receiver } = serve({ request, rules: { allowsBatch: () => true } });
    receiver().batch([1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "m" })));
    receiver().message({ jsonrpc: "2.0", id: 3, method: "m" });
    expect(request).toHaveBeenCalledOnce();
    expect(sent).toEqual([]);
  });

  it("are answered once only", () => {
    const { sent, receiver } = serve({
      request({ id }, reply) {
        reply.respond({ jsonrpc: "2.0", id, result: { first: true } });
        reply.respond({ jsonrpc: "2.0", id, result: { second: true } });
        return IDLE;
      },
    });
    receiver().message({ jsonrpc: "2.0", id: 1, method: "m" });
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: { first: true } }]);
  });
});

describe("batches", () => {
  const echo: PeerHandlers["request"] = ({ id, method }, reply) => {
    reply.respond({ jsonrpc: "2.0", id, result: { method } });
    return IDLE;
  };
  const batch = [
    { jsonrpc: "2.0", id: 1, method: "a" },
    { jsonrpc: "2.0", method: "note" },
    { jsonrpc: "2.0", id: 2, method: "b" },
  ] as const;

  it("are answered as one array where the revision allows them", () => {
    const script = scriptChannel();
    const notification = vi.fn();
    void new Multiplexer(script.channel).open({ request: echo, notification, rules: { allowsBatch: () => true } });
    script.receiver().batch(batch);
    expect(script.sent).toEqual([
      [
        { jsonrpc: "2.0", id: 1, result: { method: "a" } },
        { jsonrpc: "2.0", id: 2, result: { method: "b" } },
      ],
    ]);
    expect(notification).toHaveBeenCalledOnce();
  });

  it("are refused with -32600 everywhere else", () => {
    const script = scriptChannel();
    void new Multiplexer(script.channel).open({ request: echo });
    script.receiver().batch(batch);
    expect(script.sent).toMatchObject([{ error: { code: -32600 } }]);
  });
});

describe("memory channels", () => {
  it("make a sender wait when the other side falls behind", async () => {
    const [left, right] = createMemoryChannels();
    void left.open({ message() {}, batch() {}, malformed() {}, closed() {} });
    let waited: void | Promise<void>;
    let sent = 0;
    do waited = left.send({ jsonrpc: "2.0", method: "m", params: { sent: ++sent } });
    while (waited === undefined && sent < 100_000);
    expect(waited).toBeInstanceOf(Promise);
    let received = 0;
    void right.open({ message: () => void received++, batch() {}, malformed() {}, closed() {} });
    await waited;
    expect(received).toBe(sent);
  });

  it("deliver everything sent before closing", async () => {
    const [left, right] = createMemoryChannels();
    const seen: string[] = [];
    const over = deferred();
    void right.open({
      message: () => void seen.push("message"),
      batch() {},
      malformed() {},
      closed: () => {
        seen.push("closed");
        over.resolve();
      },
    });
    void left.open({ message() {}, batch() {}, malformed() {}, closed() {} });
    void left.send({ jsonrpc: "2.0", method: "m" });
    await left.close();
    await over.promise;
    expect(seen).toEqual(["message", "closed"]);
    expect(() => left.send({ jsonrpc: "2.0", method: "m" })).toThrow("closed");
  });
});

function deferred(): { promise: Promise<void>; resolve(): void } {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
