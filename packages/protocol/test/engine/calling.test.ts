import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Caller, Multiplexer, UnsentError } from "../../src/internal.ts";
import {
  createMemoryChannels,
  encodeMessage,
  TransportError,
  UsageError,
  type Channel,
  type ExchangeSink,
  type Outgoing,
} from "../../src/index.ts";
import { scriptChannel } from "./scripted-channel.ts";

function open(channel: Channel): Multiplexer {
  const multiplexer = new Multiplexer(channel);
  void multiplexer.open({});
  return multiplexer;
}

describe("a transport that throws when a request is cancelled", () => {
  it("delays neither its own call nor others on the same signal", async () => {
    const stop = new AbortController();
    const caller = new Caller({
      exchange: ({ id }) => ({
        cancel() {
          if (id === 1) throw new Error("The socket is gone.");
        },
      }),
    });
    const calls = [1, 2, 3].map((n) => caller.call("m", { n }, { signal: stop.signal }));
    const outcomes = Promise.allSettled(calls);
    stop.abort(new Error("enough"));
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { message: "enough" } });
  });
});

describe("several callers on one connection", () => {
  it("get their own answers", async () => {
    const [near, far] = createMemoryChannels();
    void new Multiplexer(far).open({
      request({ id, params }, reply) {
        reply.respond({ jsonrpc: "2.0", id, result: { ...params } });
        return { cancel() {} };
      },
    });
    const peer = open(near);
    const [one, other] = [new Caller(peer), new Caller(peer)];
    const calls = [one.call("m", { n: 1 }), other.call("m", { n: 2 }), one.call("m", { n: 3 })];
    expect(await Promise.all(calls)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it("each count from 1 on connections of their own", () => {
    const scripts = [scriptChannel(), scriptChannel()];
    for (const { channel } of scripts) void new Caller(open(channel)).call("m", {});
    expect(scripts.map(({ sent }) => sent)).toMatchObject([[{ id: 1 }], [{ id: 1 }]]);
  });
});

describe("an id that is open already", () => {
  it("is refused, and the request that has it goes on", async () => {
    const { channel, sent, receiver } = scriptChannel();
    const multiplexer = open(channel);
    const response = vi.fn();
    const exchange = (sink: Partial<ExchangeSink>): unknown =>
      multiplexer.exchange(
        { jsonrpc: "2.0", id: 5, method: "m" },
        { notification() {}, response, failed() {}, ...sink },
      );
    exchange({});
    const error = await new Promise((failed) => exchange({ failed, response() {} }));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code: "INVALID_STATE", message: expect.stringContaining("the id 5") });
    expect(sent).toHaveLength(1);
    receiver().message({ jsonrpc: "2.0", id: 5, result: {} });
    expect(response).toHaveBeenCalledOnce();
    exchange({});
    expect(sent).toHaveLength(2);
  });
});

describe("parameters that JSON cannot hold", () => {
  const encode = (message: Outgoing): void => void encodeMessage(message);

  it("fail the call, say of which method, and leave the connection as it was", async () => {
    const { channel, receiver } = scriptChannel(encode);
    const caller = new Caller(open(channel));
    const error = await caller.call("tools/call", { n: 1n }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/^The parameters of tools\/call are no JSON value: .*BigInt/),
      cause: expect.any(TypeError),
    });
    const next = caller.call("m", {});
    receiver().message({ jsonrpc: "2.0", id: 2, result: { fine: true } });
    expect(await next).toEqual({ fine: true });
  });

  it("fail a notification likewise", () => {
    const multiplexer = open(scriptChannel(encode).channel);
    const notify = (): unknown => multiplexer.notify({ jsonrpc: "2.0", method: "notifications/x", params: { n: 1n } });
    expect(notify).toThrow(UsageError);
    expect(notify).toThrow("The parameters of notifications/x are no JSON value");
  });

  it.each(["CONNECTION_LOST", "CLOSED"] as const)(
    "are not blamed for a connection that is gone (%s), which all calls are told",
    async (code) => {
      const gone = new TransportError(code, "gone");
      const { channel } = scriptChannel(() => {
        throw gone;
      });
      const multiplexer = new Multiplexer(channel);
      const outputEnded = vi.fn<() => void>();
      void multiplexer.open({ outputEnded });
      const failure = await new Caller(multiplexer).call("m", {}).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(UnsentError);
      expect(failure).toMatchObject({ code, message: "The message was not sent. gone", cause: gone });
      expect(outputEnded).toHaveBeenCalledTimes(1);
      expect(() => multiplexer.notify({ jsonrpc: "2.0", method: "m" })).toThrow(UnsentError);
      expect(outputEnded).toHaveBeenCalledTimes(2);
    },
  );

  it("are not sent to a channel that is closed, and the error says so", async () => {
    const { channel, sent, receiver } = scriptChannel();
    const multiplexer = open(channel);
    receiver().closed();
    const failure = await new Caller(multiplexer).call("m", {}).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnsentError);
    expect(failure).toMatchObject({ code: "CLOSED" });
    expect(sent).toEqual([]);
  });

  it("may be refused by a channel that goes on, which does not count as its end", async () => {
    const full = new TransportError("OVERLOADED", "full");
    const { channel } = scriptChannel(() => {
      throw full;
    });
    const multiplexer = new Multiplexer(channel);
    const outputEnded = vi.fn<() => void>();
    void multiplexer.open({ outputEnded });
    await expect(new Caller(multiplexer).call("m", {})).rejects.toBe(full);
    expect(outputEnded).not.toHaveBeenCalled();
  });
});

describe("a channel that returns a value that is not a promise", () => {
  /** As an arrow function does around what returns something, such as `postMessage` in Node. */
  function returning(value: unknown): Channel {
    const { channel } = scriptChannel();
    const wrap = (): void => value as undefined;
    return { ...channel, open: wrap, send: wrap };
  }

  it.each([true, 0, null, {}, () => {}])("is not waited for: %o", (value) => {
    const multiplexer = new Multiplexer(returning(value));
    expect(
      multiplexer.open({
        request: (_, reply) => (reply.respond({ jsonrpc: "2.0", id: 1, result: {} }), { cancel() {} }),
      }),
    ).toBeUndefined();
    const sink: ExchangeSink = {
      notification() {},
      response() {},
      failed: (error) => expect.unreachable(error.message),
    };
    multiplexer.exchange({ jsonrpc: "2.0", id: 1, method: "m" }, sink).cancel();
    expect(multiplexer.notify({ jsonrpc: "2.0", method: "m" })).toBeUndefined();
    multiplexer.message({ jsonrpc: "2.0", id: 1, method: "m" });
    expect(multiplexer.inFlight).toBe(0);
  });

  it("is waited for if it is a promise, of another realm too", async () => {
    const promise: unknown = runInNewContext("Promise.resolve()");
    expect(promise).not.toBeInstanceOf(Promise);
    const multiplexer = new Multiplexer(returning(promise));
    expect(multiplexer.open({})).toBe(promise);
    expect(multiplexer.notify({ jsonrpc: "2.0", method: "m" })).toBe(promise);
    await promise;
  });
});

describe("time limits", () => {
  it.each([
    ["timeout", NaN],
    ["timeout", -1],
    ["timeout", "5" as unknown as number],
    ["maxTimeout", NaN],
    ["maxTimeout", -1],
    ["maxTimeout", {} as unknown as number],
  ])("%s must not be %o, for a call or for a caller", async (option, value) => {
    const { channel, sent } = scriptChannel();
    const multiplexer = open(channel);
    const expected = { code: "INVALID_ARGUMENT", message: expect.stringContaining(`\`${option}\``) };
    await expect(new Caller(multiplexer).call("m", {}, { [option]: value })).rejects.toMatchObject(expected);
    await expect(new Caller(multiplexer, { [option]: value }).call("m", {})).rejects.toMatchObject(expected);
    expect(sent).toEqual([]);
  });

  it("may be infinite", async () => {
    const { channel, receiver } = scriptChannel();
    const call = new Caller(open(channel)).call("m", {}, { timeout: Infinity, maxTimeout: Infinity });
    receiver().message({ jsonrpc: "2.0", id: 1, result: {} });
    expect(await call).toEqual({});
  });

  it.each([Infinity, 3_600_000])(
    "the timeout of all calls may be longer than the default of maxTimeout: %d",
    async (timeout) => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const { channel, receiver } = scriptChannel();
      const call = new Caller(open(channel), { timeout }).call("m", {});
      await vi.advanceTimersByTimeAsync(3_500_000);
      receiver().message({ jsonrpc: "2.0", id: 1, result: {} });
      await expect(call).resolves.toEqual({});
    },
  );

  it.each([
    [undefined, "pass `onProgress` to let the server report progress"],
    [() => {}, "or let the server report progress"],
  ])("are explained with what would help when they pass", async (onProgress, hint) => {
    vi.useFakeTimers();
    try {
      const call = new Caller(open(scriptChannel().channel)).call("slow", {}, { timeout: 10, onProgress });
      const outcome = expect(call).rejects.toThrow(hint);
      await vi.advanceTimersByTimeAsync(11);
      await outcome;
    } finally {
      vi.useRealTimers();
    }
  });
});

it("a transport that throws fails the call once, and leaves neither deadline nor listener behind", async () => {
  vi.useFakeTimers();
  try {
    const caller = new Caller({
      exchange() {
        throw new Error("broken");
      },
    });
    const sink = { result: vi.fn(), failed: vi.fn() };
    const stop = new AbortController();
    caller.send("m", {}, { timeout: 10, signal: stop.signal }, sink);
    await vi.advanceTimersByTimeAsync(1000);
    stop.abort();
    expect(sink.failed).toHaveBeenCalledExactlyOnceWith(new Error("broken"));
  } finally {
    vi.useRealTimers();
  }
});

it("an invalid signal fails the call once, sends nothing, and leaves no deadline behind", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { channel, sent } = scriptChannel();
  const sink = { result: vi.fn(), failed: vi.fn() };
  new Caller(open(channel)).send("m", {}, { timeout: 10, signal: { aborted: false } as AbortSignal }, sink);
  await vi.advanceTimersByTimeAsync(1000);
  expect(sink.failed).toHaveBeenCalledExactlyOnceWith(expect.any(TypeError));
  expect(sent).toEqual([]);
});
