import { MetaKey, type Message, type ProtocolViolation } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../../../../../test/eventually.ts";
import { createHttpTransport } from "../../../src/http.ts";
import { stopClock } from "../../stopped-clock.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, openEvents, sendJson } from "./listen.ts";
import { createFetchTransport, createUndiciTransport } from "./backends.ts";

const MODERN = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: {} } };

/** A transport to a modern server that sends a message nobody waits for before it answers. */
async function meetStray(stray: Message) {
  const { url, seen } = await listen(({ message }, response) => {
    const send = openEvents(response);
    send(stray);
    send({ jsonrpc: "2.0", id: message!.id, result: { ok: 1 } });
    response.end();
  });
  const transport = createHttpTransport(url);
  const handlers = { request: vi.fn(), notification: vi.fn(), violation: vi.fn() };
  void transport.open(handlers);
  onTestFinished(() => transport.close());
  const call = new Caller(transport, { timeout: 20_000 }).call("tools/call", MODERN);
  return { transport, seen, handlers, call };
}

describe.each([
  ["fetch", createFetchTransport],
  ["undici", createUndiciTransport],
] as const)("noise in an answer, by %s", (_, create) => {
  async function meetNoise(times: number) {
    const cut = withResolvers<void>();
    const { url } = await listen(({ message }, response) => {
      response.on("close", cut.resolve);
      const send = openEvents(response);
      response.write("data: y\n\n".repeat(times));
      response.write(Buffer.from("data: \xff\n\n", "latin1"));
      send({ jsonrpc: "2.0", id: message!.id, result: { ok: 1 } });
    });
    const transport = create(url);
    const violation = vi.fn();
    void transport.open({ violation });
    onTestFinished(() => transport.close());
    return { call: new Caller(transport, { timeout: 20_000 }).call("tools/call", MODERN), violation, cut: cut.promise };
  }

  it("does no harm, and its beginning is reported", async () => {
    const { call, violation } = await meetNoise(9);
    await expect(call).resolves.toEqual({ ok: 1 });
    expect(violation.mock.calls.map(([error]) => (error as ProtocolViolation).code)).toEqual([
      ...Array.from({ length: 9 }, () => "PARSE_ERROR"),
      "INVALID_UTF8",
    ]);
  });

  it("fails the call when it is too much, and is cut off", async () => {
    stopClock();
    const { call, violation, cut } = await meetNoise(100_000);
    await expect(call).rejects.toMatchObject({ code: "OVERLOADED" });
    expect(violation).toHaveBeenCalledTimes(10);
    await cut;
  });

  it("is reported no more often if it comes in one batch", async () => {
    const { url } = await listen((__, response) =>
      sendJson(
        response,
        Array.from({ length: 256 }, () => 0),
      ),
    );
    const transport = create(url);
    const violation = vi.fn();
    void transport.open({ violation });
    onTestFinished(() => transport.close());
    const call = new Caller(transport, { timeout: 20_000 }).call("tools/call", MODERN);
    await expect(call).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE" });
    expect(violation).toHaveBeenCalledTimes(10);
  });
});

describe("over HTTP, without a session", () => {
  it("a request of the server is reported, and never answered", async () => {
    const { call, seen, handlers } = await meetStray({ jsonrpc: "2.0", id: 7, method: "roots/list" });
    await expect(call).resolves.toEqual({ ok: 1 });
    await eventually(() =>
      expect(handlers.violation).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ code: "UNEXPECTED_REQUEST" }),
      ),
    );
    expect(handlers.request).not.toHaveBeenCalled();
    expect(seen).toHaveLength(1);
  });

  it("a response to something else is reported, and changes nothing", async () => {
    const { call, handlers } = await meetStray({ jsonrpc: "2.0", id: 99, result: {} });
    await expect(call).resolves.toEqual({ ok: 1 });
    await eventually(() =>
      expect(handlers.violation).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ code: "UNKNOWN_RESPONSE", message: expect.stringContaining("99") }),
      ),
    );
  });

  it("messages that a server sends in place of accepting a notification are heard", async () => {
    const { url } = await listen(({ message }, response) => {
      if (message?.method === "notifications/refused") {
        sendJson(response, { jsonrpc: "2.0", error: { code: -32600, message: "not here" } }, 400);
      } else {
        openEvents(response)({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
        response.end();
      }
    });
    const transport = createHttpTransport(url);
    const handlers = { notification: vi.fn(), violation: vi.fn() };
    void transport.open(handlers);
    onTestFinished(() => transport.close());
    await expect(transport.notify({ jsonrpc: "2.0", method: "notifications/refused" })).rejects.toMatchObject({
      code: "UNEXPECTED_RESPONSE",
    });
    await eventually(() =>
      expect(handlers.violation).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ code: "UNKNOWN_RESPONSE", message: expect.stringContaining("not here") }),
      ),
    );
    await transport.notify({ jsonrpc: "2.0", method: "notifications/taken" });
    await eventually(() =>
      expect(handlers.notification).toHaveBeenCalledExactlyOnceWith({
        jsonrpc: "2.0",
        method: "notifications/tools/list_changed",
      }),
    );
  });
});
