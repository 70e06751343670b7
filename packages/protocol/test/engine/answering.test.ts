import { describe, expect, it, vi } from "vitest";
import { Multiplexer, PreparedJson } from "../../src/internal.ts";
import {
  encodeMessage,
  MalformedMessage,
  TransportError,
  type Exchange,
  type Outgoing,
  type PeerHandlers,
  type Reply,
  type RequestMessage,
} from "../../src/index.ts";
import { scriptChannel, type ScriptedChannel } from "./scripted-channel.ts";

const IDLE: Exchange = { cancel() {} };
const INTERNAL = { code: -32603, message: "Internal error" };

/** Values that JSON cannot hold, and the errors that the encoder throws for them. */
const UNENCODABLE: [string, () => object, string][] = [
  ["a BigInt", () => ({ big: 1n }), "BigInt"],
  [
    "a cycle",
    () => {
      const self: { self?: unknown } = {};
      self.self = self;
      return self;
    },
    "circular",
  ],
  [
    "a toJSON that throws",
    () => ({
      toJSON() {
        throw new Error("not me");
      },
    }),
    "not me",
  ],
];

function serve(
  handlers: PeerHandlers,
  encode: (message: Outgoing) => void = (message) => void encodeMessage(message),
): ScriptedChannel & { multiplexer: Multiplexer } {
  const script = scriptChannel(encode);
  const multiplexer = new Multiplexer(script.channel);
  void multiplexer.open(handlers);
  return { ...script, multiplexer };
}

function request(id: number): RequestMessage {
  return { jsonrpc: "2.0", id, method: "m" };
}

describe("an answer that JSON cannot hold", () => {
  it.each(UNENCODABLE)("throws and leaves the exchange open for another: %s", async (_, make, reason) => {
    let reply: Reply | undefined;
    const violation = vi.fn();
    const { sent, receiver, multiplexer } = serve({ violation, request: (__, given) => ((reply = given), IDLE) });
    receiver().message(request(1));
    expect(() => reply!.respond({ jsonrpc: "2.0", id: 1, result: make() })).toThrow(reason);
    expect(sent).toEqual([]);
    expect(multiplexer.inFlight).toBe(1);
    reply!.respond({ jsonrpc: "2.0", id: 1, error: INTERNAL });
    reply!.respond({ jsonrpc: "2.0", id: 1, result: {} });
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, error: INTERNAL }]);
    await multiplexer.idle();
    expect(violation).not.toHaveBeenCalled();
  });

  it("can still be cancelled", () => {
    const cancel = vi.fn();
    let reply: Reply | undefined;
    const { sent, receiver } = serve({ request: (_, given) => ((reply = given), { cancel }) });
    receiver().message(request(1));
    expect(() => reply!.respond({ jsonrpc: "2.0", id: 1, result: { big: 1n } })).toThrow("BigInt");
    receiver().message({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(cancel).toHaveBeenCalledOnce();
    reply!.respond({ jsonrpc: "2.0", id: 1, result: { big: 1n } });
    expect(sent).toEqual([]);
  });
});

describe("an answer on a connection that is gone", () => {
  it("is dropped without a word", () => {
    let reply: Reply | undefined;
    const { receiver, multiplexer } = serve({ request: (_, given) => ((reply = given), IDLE) }, () => {
      throw new TransportError("CLOSED", "gone");
    });
    receiver().message(request(1));
    reply!.respond({ jsonrpc: "2.0", id: 1, result: {} });
    expect(multiplexer.inFlight).toBe(0);
  });
});

describe("a handler that throws instead of answering", () => {
  it("is answered for, and nothing escapes into the channel", () => {
    const { sent, receiver, multiplexer } = serve({
      request() {
        throw new Error("secret");
      },
    });
    receiver().message(request(1));
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, error: INTERNAL }]);
    expect(multiplexer.inFlight).toBe(0);
  });

  it("is ignored if it has answered before", () => {
    const { sent, receiver } = serve({
      request({ id }, reply) {
        reply.respond({ jsonrpc: "2.0", id, result: {} });
        throw new Error("too late");
      },
    });
    receiver().message(request(1));
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });
});

describe("the answers to a batch", () => {
  const rules = { allowsBatch: (): boolean => true };

  it("are sent even if JSON cannot hold one of them", () => {
    const { sent, receiver } = serve({
      rules,
      request({ id }, reply) {
        try {
          reply.respond({ jsonrpc: "2.0", id, result: id === 2 ? { big: 1n } : { id } });
        } catch {
          reply.respond({ jsonrpc: "2.0", id, error: INTERNAL });
        }
        return IDLE;
      },
    });
    receiver().batch([request(1), request(2), request(3)]);
    expect(sent).toEqual([
      [
        { jsonrpc: "2.0", id: 1, result: { id: 1 } },
        { jsonrpc: "2.0", id: 2, error: INTERNAL },
        { jsonrpc: "2.0", id: 3, result: { id: 3 } },
      ],
    ]);
  });

  it("are those that were given, whatever becomes of the objects afterwards", () => {
    const result = { count: 1 };
    const { sent, receiver } = serve({
      rules,
      request({ id }, reply) {
        reply.respond({ jsonrpc: "2.0", id, result: id === 1 ? result : new PreparedJson({ prepared: true }) });
        (result as { count: unknown }).count = 2n;
        return IDLE;
      },
    });
    receiver().batch([request(1), request(2)]);
    expect(sent).toEqual([
      [
        { jsonrpc: "2.0", id: 1, result: { count: 1 } },
        { jsonrpc: "2.0", id: 2, result: { prepared: true } },
      ],
    ]);
  });

  it("include one for a handler that throws", () => {
    const { sent, receiver } = serve({
      rules,
      request({ id }, reply) {
        if (id === 1) throw new Error("secret");
        reply.respond({ jsonrpc: "2.0", id, result: {} });
        return IDLE;
      },
    });
    receiver().batch([request(1), request(2)]);
    expect(sent).toEqual([
      [
        { jsonrpc: "2.0", id: 1, error: INTERNAL },
        { jsonrpc: "2.0", id: 2, result: {} },
      ],
    ]);
  });
});

describe("a message without a readable id", () => {
  const unreadable = new MalformedMessage(-32700, "This is not JSON");
  const readable = new MalformedMessage(-32600, '`jsonrpc` must be exactly "2.0".', { id: 7 });
  const echo: PeerHandlers["request"] = ({ id }, reply) => {
    reply.respond({ jsonrpc: "2.0", id, result: {} });
    return IDLE;
  };

  it("is answered without one, unless the revision has no such answer", () => {
    for (const allowsErrorsWithoutId of [undefined, () => true, () => false]) {
      const violation = vi.fn();
      const { sent, receiver } = serve({
        violation,
        ...(allowsErrorsWithoutId && { rules: { allowsErrorsWithoutId } }),
      });
      receiver().malformed(unreadable);
      receiver().malformed(readable);
      const isAnswered = allowsErrorsWithoutId?.() !== false;
      expect(sent.map((message) => "id" in message && message.id)).toEqual(isAnswered ? [false, 7] : [7]);
      expect(violation).toHaveBeenCalledTimes(2);
    }
  });

  it("is a batch that the revision does not allow: then its requests are refused one by one", () => {
    const violation = vi.fn();
    const { sent, receiver } = serve({ violation, request: echo, rules: { allowsErrorsWithoutId: () => false } });
    receiver().batch([request(1), unreadable, { jsonrpc: "2.0", method: "note" }, request(2)]);
    expect(sent).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 2, error: { code: -32600 } },
    ]);
    expect(violation).toHaveBeenCalledOnce();
  });

  it("gets no place among the answers to a batch either", () => {
    const { sent, receiver } = serve({
      request: echo,
      rules: { allowsBatch: () => true, allowsErrorsWithoutId: () => false },
    });
    receiver().batch([unreadable, readable, request(1)]);
    expect(sent).toMatchObject([[{ id: 7 }, { id: 1 }]]);
    receiver().batch([unreadable]);
    expect(sent).toHaveLength(1);
  });
});

describe("work that is cancelled while it begins", () => {
  const notification = { jsonrpc: "2.0", method: "n" } as const;

  it("is cancelled as soon as it is known: the connection breaks", () => {
    const cancel = vi.fn();
    const script = serve(
      {
        request(_request, reply) {
          void reply.notify(notification);
          return { cancel };
        },
      },
      () => script.receiver().closed(),
    );
    script.receiver().message(request(1));
    expect(cancel.mock.calls).toEqual([["the connection was closed"]]);
  });

  it("is cancelled as soon as it is known: the peer wants it no more", () => {
    const cancel = vi.fn();
    const params = { requestId: 1, reason: "enough" };
    const script = serve(
      {
        request(_request, reply) {
          void reply.notify(notification);
          return { cancel };
        },
      },
      () => script.receiver().message({ jsonrpc: "2.0", method: "notifications/cancelled", params }),
    );
    script.receiver().message(request(1));
    expect(cancel.mock.calls).toEqual([["enough"]]);
  });

  it("is left alone if it was answered before", () => {
    const cancel = vi.fn();
    const script = serve({
      request(_request, reply) {
        reply.respond({ jsonrpc: "2.0", id: 1, result: {} });
        script.receiver().closed();
        return { cancel };
      },
    });
    script.receiver().message(request(1));
    expect(cancel).not.toHaveBeenCalled();
  });
});
