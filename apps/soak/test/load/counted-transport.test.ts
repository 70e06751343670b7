import { createMemoryChannels, type Channel, type ChannelReceiver, type ExchangeTransport } from "@toolwire/client";
import { expect, test, vi } from "vitest";
import { countChannel, countExchanges } from "../../src/load/counted-transport.ts";

const REQUEST = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { arguments: { call: "0.0.0.5" } } } as const;
const RECEIVER: ChannelReceiver = { message() {}, batch() {}, malformed() {}, closed() {} };

test("a counted transport tells when a channel is open and which calls it takes, and nothing else", async () => {
  const listener = { opened: vi.fn(), sent: vi.fn() };
  const channel = countChannel(createMemoryChannels()[0], listener);
  await channel.open(RECEIVER);
  await channel.send(REQUEST);
  await channel.send({ jsonrpc: "2.0", method: "notifications/initialized" });

  expect(listener.opened).toHaveBeenCalledTimes(1);
  expect(listener.sent.mock.calls).toEqual([["0.0.0.5"]]);
});

test("a call that a channel does not take was not sent", async () => {
  const listener = { opened: vi.fn(), sent: vi.fn() };
  const broken: Channel = {
    open() {},
    send() {
      throw new Error("broken");
    },
    async close() {},
  };

  expect(() => countChannel(broken, listener).send(REQUEST)).toThrow("broken");
  expect(listener.sent).not.toHaveBeenCalled();
});

test("a counted transport counts calls over HTTP", async () => {
  const listener = { opened: vi.fn(), sent: vi.fn() };
  const transport: ExchangeTransport = {
    hasHeaders: true,
    open() {},
    exchange: () => ({ cancel() {} }),
    notify() {},
    async close() {},
  };
  const counted = countExchanges(transport, listener);
  await counted.open({});
  counted.exchange(REQUEST, { notification() {}, response() {}, failed() {} });

  expect(counted.hasHeaders).toBe(true);
  expect(listener.opened).toHaveBeenCalledTimes(1);
  expect(listener.sent.mock.calls).toEqual([["0.0.0.5"]]);
});
