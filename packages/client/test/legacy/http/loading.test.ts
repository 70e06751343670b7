import { MetaKey } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { expect, it, onTestFinished, vi } from "vitest";
import { createHttpTransport } from "../../../src/transports/http/index.ts";
import { listen, sendJson } from "../../transports/http/listen.ts";

// The part for legacy servers is loaded when the tests say so.
const loading = vi.hoisted(() => {
  let finish!: () => void;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  return { finish, finished };
});
vi.mock(import("../../../src/legacy/http/session.ts"), async (importOriginal) => {
  await loading.finished;
  return importOriginal();
});

function open(url: string) {
  const transport = createHttpTransport(url);
  void transport.open({});
  onTestFinished(() => transport.close());
  return { transport, caller: new Caller(transport, { timeout: 20_000 }) };
}

it("only `initialize` waits for the legacy part to be loaded; meanwhile it can be cancelled and closed", async () => {
  const { url, seen } = await listen(({ message }, response) =>
    sendJson(response, { jsonrpc: "2.0", id: message!.id, result: { protocolVersion: "2025-11-25" } }),
  );
  const initialize = { protocolVersion: "2025-11-25" };
  const waiting = open(url);
  const cancelled = open(url);
  const closed = open(url);
  const aborter = new AbortController();
  const calls = [
    waiting.caller.call("initialize", { ...initialize, name: "waiting" }),
    cancelled.caller.call("initialize", initialize, { signal: aborter.signal }),
    closed.caller.call("initialize", initialize),
  ];
  const settled = Promise.allSettled(calls);
  aborter.abort(new Error("enough"));
  await closed.transport.close();
  await expect(calls[1]).rejects.toThrow("enough");
  await expect(calls[2]).rejects.toMatchObject({ code: "CLOSED" });

  const modern = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: {} } };
  await open(url).caller.call("tools/list", modern);
  expect(seen.map(({ message }) => message?.method)).toEqual(["tools/list"]);

  loading.finish();
  await settled;
  await expect(calls[0]).resolves.toEqual({ protocolVersion: "2025-11-25" });
  await cancelled.caller.call("ping", {});
  expect(seen.map(({ message }) => message?.method)).toEqual(["tools/list", "initialize", "ping"]);
  expect(seen[1]?.message?.params).toMatchObject({ name: "waiting" });
});
