import { expect, test } from "vitest";
import { ViewError } from "../../src/messages/message.ts";
import { Peer, type PeerOptions } from "../../src/messages/peer.ts";

/** Two peers that are connected, and what each of them was sent. */
function connected(far: Partial<PeerOptions>): { near: Peer; far: Peer; sent: unknown[] } {
  const sent: unknown[] = [];
  const ends: { far?: Peer } = {};
  const near = new Peer({ post: (message) => ends.far?.receive(message), answer: () => ({}), hear: () => undefined });
  const other = new Peer({
    post: (message) => {
      sent.push(message);
      near.receive(message);
    },
    answer: () => ({}),
    hear: () => undefined,
    ...far,
  });
  ends.far = other;
  return { near, far: other, sent };
}

test("a request is answered, and its parameters are an object whatever was sent", async () => {
  const seen: unknown[] = [];
  const { near, far } = connected({
    answer: (method, params) => {
      seen.push([method, params]);
      return { ok: true };
    },
  });
  expect(await near.request("ping", { a: 1 })).toEqual({ ok: true });
  far.receive({ jsonrpc: "2.0", id: "x", method: "ping", params: [1] });
  expect(seen).toEqual([
    ["ping", { a: 1 }],
    ["ping", {}],
  ]);
});

test("an error has the code that was thrown, and -32000 if there was none", async () => {
  const { near } = connected({
    answer: (method) => {
      throw method === "known" ? new ViewError(-32602, "no") : new Error("broken");
    },
  });
  await expect(near.request("known", {})).rejects.toMatchObject({ code: -32602, message: "no" });
  await expect(near.request("other", {})).rejects.toMatchObject({ code: -32000, message: "broken" });
});

test("what is no JSON-RPC is not heard, and neither are answers to what was not asked", () => {
  const { near, sent } = connected({});
  for (const message of [null, 7, "x", [], {}, { id: 1, method: "ping" }, { jsonrpc: "1.0", id: 1, method: "ping" }]) {
    near.receive(message);
  }
  near.receive({ jsonrpc: "2.0", id: 99, result: {} });
  near.receive({ jsonrpc: "2.0", id: "1", result: {} });
  near.receive({ jsonrpc: "2.0", id: { toString: 1 }, method: "ping" });
  expect(sent).toEqual([]);
});

test("an answer with neither a result nor an error, or a malformed one, rejects", async () => {
  const { near, sent } = connected({ answer: () => new Promise(() => undefined) });
  for (const answer of [{}, { result: 7 }, { error: "no" }, { error: { code: "x", message: 1 } }]) {
    const request = near.request("ping", {});
    near.receive({ jsonrpc: "2.0", id: 1 + sent.length, ...answer });
    sent.push(undefined);
    await expect(request).rejects.toMatchObject({ code: -32600 });
  }
});

test("requests beyond the limit are refused, and those that are open go on", async () => {
  const release: (() => void)[] = [];
  const answer = (): Promise<object> => new Promise((resolve) => release.push(() => resolve({})));
  const { near } = connected({ answer, maxOpen: 2 });
  const open = [near.request("a", {}), near.request("b", {})];
  await expect(near.request("c", {})).rejects.toThrow("2 requests are open");
  for (const each of release) each();
  expect(await Promise.all(open)).toEqual([{}, {}]);
  const later = near.request("d", {});
  release.at(-1)?.();
  expect(await later).toEqual({});
});

test("a request that is not answered fails in time", async () => {
  const { near } = connected({ answer: () => new Promise(() => undefined) });
  await expect(near.request("slow", {}, 5)).rejects.toThrow("slow was not answered within 5 ms.");
});

test("after the end nothing is sent or heard, and open requests fail with the reason", async () => {
  const heard: unknown[] = [];
  const { near, far, sent } = connected({
    answer: () => new Promise(() => undefined),
    hear: (method) => heard.push(method),
  });
  const open = near.request("open", {});
  near.close("gone");
  await expect(open).rejects.toThrow("gone");
  await expect(near.request("later", {})).rejects.toThrow("gone");
  near.notify("note", {});
  far.close("gone");
  far.receive({ jsonrpc: "2.0", method: "note" });
  expect([heard, sent]).toEqual([[], []]);
});
