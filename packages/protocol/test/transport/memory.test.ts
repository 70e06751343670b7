import { describe, expect, it } from "vitest";
import { createMemoryChannels, type ChannelReceiver, type Message } from "../../src/index.ts";
import { PreparedJson } from "../../src/internal.ts";

function record(seen: unknown[]): { receiver: ChannelReceiver; ended: Promise<void> } {
  let end: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const receiver: ChannelReceiver = {
    message: (message) => void seen.push(message),
    batch() {},
    malformed() {},
    closed() {
      seen.push("closed");
      end?.();
    },
  };
  return { receiver, ended };
}

const NOTE: Message = { jsonrpc: "2.0", method: "m" };

describe("a memory channel opened after its peer has closed", () => {
  it("hears of the end", async () => {
    const [left, right] = createMemoryChannels();
    await left.close();
    const seen: unknown[] = [];
    const { receiver, ended } = record(seen);
    void right.open(receiver);
    await ended;
    expect(seen).toEqual(["closed"]);
  });

  it("gets what was sent before, and then hears of the end, once", async () => {
    const [left, right] = createMemoryChannels();
    void left.send(NOTE);
    await left.close();
    await right.close();
    const seen: unknown[] = [];
    const { receiver, ended } = record(seen);
    void right.open(receiver);
    await ended;
    await Promise.resolve();
    expect(seen).toEqual([NOTE, "closed"]);
  });

  it("releases all senders that wait for it", async () => {
    const [left] = createMemoryChannels();
    let waited: void | Promise<void>;
    do waited = left.send(NOTE);
    while (waited === undefined);
    await left.close();
    await expect(waited).resolves.toBeUndefined();
  });
});

describe("a prepared result", () => {
  it("arrives as a copy that cannot be changed for others", async () => {
    const tools = [{ name: "a" }];
    const [left, right] = createMemoryChannels();
    const seen: unknown[] = [];
    const { receiver, ended } = record(seen);
    void right.open(receiver);
    void left.send({ jsonrpc: "2.0", id: 1, result: new PreparedJson({ tools }) });
    await left.close();
    await ended;
    expect(seen[0]).toEqual({ jsonrpc: "2.0", id: 1, result: { tools } });
    const { result } = seen[0] as { result: { tools: unknown[] } };
    expect(result.tools).not.toBe(tools);
    expect(() => result.tools.push({ name: "b" })).toThrow(TypeError);
  });
});
