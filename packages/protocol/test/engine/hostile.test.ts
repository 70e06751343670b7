import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Multiplexer } from "../../src/internal.ts";
import { parseMessage, type MalformedMessage } from "../../src/index.ts";
import { scriptChannel } from "./scripted-channel.ts";

/** JSON values that are no id; converting the first ones to a number or a text throws. */
const HOSTILE = [
  '{"valueOf":1,"toString":1}',
  '[{"toString":1}]',
  '{"__proto__":null}',
  "{}",
  "[]",
  "[1]",
  "null",
  "true",
  "false",
  "1.5",
  "-0",
  "1e999",
  "9007199254740993",
  '"__proto__"',
  '"constructor"',
  '""',
];

const PLACES: [string, (value: string) => string][] = [
  ["progressToken", (value) => `{"method":"notifications/progress","params":{"progressToken":${value},"progress":1}}`],
  ["requestId", (value) => `{"method":"notifications/cancelled","params":{"requestId":${value}}}`],
  [
    "subscriptionId",
    (value) => `{"method":"m","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":${value}}}}`,
  ],
  ["_meta", (value) => `{"method":"m","params":{"_meta":${value}}}`],
];

/** A multiplexer with requests open in both directions, and what it has to say. */
function busy(): { deliver(text: string): void; notification: () => void; response: () => void; cancel: () => void } {
  const script = scriptChannel();
  const notification = vi.fn();
  const response = vi.fn();
  const cancel = vi.fn();
  const multiplexer = new Multiplexer(script.channel);
  void multiplexer.open({ request: () => ({ cancel }), notification });
  for (const id of [0, 1, "a"]) {
    multiplexer.exchange({ jsonrpc: "2.0", id, method: "m" }, { notification() {}, failed() {}, response });
    script.receiver().message({ jsonrpc: "2.0", id, method: "m" });
  }
  const deliver = (text: string): void =>
    script.receiver().message(parseMessage(text.replace("{", '{"jsonrpc":"2.0",')));
  return { deliver, notification, response, cancel };
}

describe("a value that a peer sends in place of an id", () => {
  it.each(PLACES)("does no harm as %s", (_, place) => {
    for (const value of HOSTILE.filter((text) => text !== "-0")) {
      const { deliver, notification, response, cancel } = busy();
      deliver(place(value));
      expect(notification).toHaveBeenCalledOnce();
      deliver('{"id":1,"result":{}}');
      expect(response).toHaveBeenCalledOnce();
      expect(cancel).not.toHaveBeenCalled();
    }
  });

  it("does no harm whatever it is", () => {
    const value = fc.oneof(fc.json(), fc.constantFrom(...HOSTILE));
    fc.assert(
      fc.property(fc.constantFrom(...PLACES), value, ([, place], text) => {
        expect(() => busy().deliver(place(text))).not.toThrow();
      }),
    );
  });
});

describe("a broken response", () => {
  it("fails the request that it would have answered, and no other, at once", () => {
    const script = scriptChannel();
    const violation = vi.fn();
    const multiplexer = new Multiplexer(script.channel);
    void multiplexer.open({ violation });
    const failed = vi.fn();
    for (const id of [1, 2]) {
      const sink = { notification() {}, response() {}, failed: (error: Error) => void failed(id, error.message) };
      multiplexer.exchange({ jsonrpc: "2.0", id, method: "m" }, sink);
    }
    const texts = [
      '{"jsonrpc":"2.0","id":1,"result":null}',
      '{"jsonrpc":"2.0","id":1,"result":null}',
      '{"jsonrpc":"2.0","id":3,"error":"no"}',
      '{"jsonrpc":"2.0","result":{}}',
      // A request is none, however broken it is.
      '{"jsonrpc":"2.0","id":2,"method":3}',
    ];
    for (const text of texts) script.receiver().malformed(malformed(text));
    expect(failed.mock.calls).toEqual([[1, "`result` must be an object, but is null."]]);
    expect(violation).toHaveBeenCalledTimes(texts.length);
  });

  it("does so in a batch as well, where there can be batches", () => {
    const script = scriptChannel();
    const violation = vi.fn();
    const multiplexer = new Multiplexer(script.channel);
    void multiplexer.open({ violation, rules: { allowsBatch: () => true } });
    const failed = vi.fn();
    multiplexer.exchange({ jsonrpc: "2.0", id: 1, method: "m" }, { notification() {}, response() {}, failed });
    script.receiver().batch([malformed('{"jsonrpc":"2.0","id":1,"method":3}')]);
    expect(failed).not.toHaveBeenCalled();
    script.receiver().batch([malformed('{"jsonrpc":"2.0","id":1,"result":null}')]);
    expect(failed).toHaveBeenCalledOnce();
    expect(violation).toHaveBeenCalledTimes(2);
  });

  it("is any response in a batch that the revision does not allow, even a valid one", () => {
    for (const allowsRequests of [true, false]) {
      const script = scriptChannel();
      const violation = vi.fn();
      const multiplexer = new Multiplexer(script.channel);
      void multiplexer.open({ violation, rules: { allowsRequests: () => allowsRequests } });
      const failed = vi.fn();
      for (const id of [1, 2, 3, 4]) {
        const sink = { notification() {}, response() {}, failed: ({ message }: Error) => void failed(id, message) };
        multiplexer.exchange({ jsonrpc: "2.0", id, method: "m" }, sink);
      }
      const broken = malformed('{"jsonrpc":"2.0","id":2,"result":null}');
      // The ids of requests are those of the peer, and say nothing about ours.
      const requests = [
        malformed('{"jsonrpc":"2.0","id":3,"method":3}'),
        parseMessage('{"jsonrpc":"2.0","id":3,"method":"m"}'),
      ];
      script.receiver().batch([{ jsonrpc: "2.0", id: 1, result: {} }, broken, ...requests]);
      const message = "Batches are part of revision 2025-03-26 only; send one message at a time.";
      expect(failed.mock.calls).toEqual([
        [1, message],
        [2, message],
      ]);
      expect(violation).toHaveBeenCalledOnce();
    }
  });

  it("has `jsonrpc`: the line of a log fails no request whose id it has", () => {
    const script = scriptChannel();
    const multiplexer = new Multiplexer(script.channel);
    void multiplexer.open({});
    const [response, failed] = [vi.fn(), vi.fn()];
    multiplexer.exchange({ jsonrpc: "2.0", id: 1, method: "m" }, { notification() {}, response, failed });
    script.receiver().malformed(malformed('{"level":50,"id":1,"msg":"trying again","error":"ENOENT"}'));
    script.receiver().message({ jsonrpc: "2.0", id: 1, result: {} });
    expect(failed).not.toHaveBeenCalled();
    expect(response).toHaveBeenCalledOnce();
  });
});

function malformed(text: string): MalformedMessage {
  try {
    parseMessage(text);
  } catch (error) {
    return error as MalformedMessage;
  }
  throw new Error(`This is a message: ${text}`);
}
