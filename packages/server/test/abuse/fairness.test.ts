/** One caller takes nothing from others: every limit that callers share leaves room for the rest. */
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { createMemoryEventStore } from "../../src/http.ts";
import { rateLimit } from "../../src/index.ts";
import { Events, LegacyClient, modern, readJson } from "../bindings/http/client.ts";
import { LIMITS, serveAbused, type AbusedServer } from "./abused-server.ts";
import { leaveAnswers, reach } from "./callers.ts";

/** Does something until it is refused, or so many times. Returns how often it was not. */
async function takeAll(times: number, take: () => Promise<boolean>): Promise<number> {
  let taken = 0;
  while (taken < times && (await take())) taken += 1;
  return taken;
}

async function opensSession(target: AbusedServer, caller: string): Promise<boolean> {
  return LegacyClient.open(reach(target, caller)).then(
    () => true,
    () => false,
  );
}

test("a caller that opens sessions without end leaves room for those of others", async () => {
  const target = await serveAbused({ http: { legacy: { sessions: { max: 40 } } } });
  const bob = await LegacyClient.open(reach(target, "bob"));
  expect(await takeAll(100, () => opensSession(target, "mallory"))).toBeGreaterThan(0);
  expect(await opensSession(target, "carol")).toBe(true);
  // The session that bob has is still his.
  const answer = await readJson(await bob.call("echo", { text: "hi" }));
  expect(answer.result?.["content"]).toEqual([{ type: "text", text: "hi" }]);
});

test("a caller that opens HTTP+SSE streams without end leaves room for those of others", async () => {
  const target = await serveAbused({ http: { legacy: { sessions: { max: 40 } } } });
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const opens = async (caller: string): Promise<boolean> => {
    const headers = { accept: "text/event-stream" };
    const response = await reach(target, caller).send({ path: "/sse", headers, signal: leaving.signal });
    return response.ok;
  };
  expect(await takeAll(100, () => opens("mallory"))).toBeGreaterThan(0);
  expect(await opens("carol")).toBe(true);
});

test("a caller that opens WebSockets without end leaves room for those of others", async () => {
  const target = await serveAbused({ websocket: { maxConnections: 40 } });
  const opens = async (caller: string): Promise<boolean> => {
    const url = new URL("/ws", target.url.replace("http:", "ws:"));
    const socket = new WebSocket(url, ["mcp"], { headers: { authorization: caller } });
    socket.on("error", () => {});
    onTestFinished(() => socket.terminate());
    await new Promise((resolve) => socket.on("open", resolve).on("close", resolve));
    return socket.readyState === WebSocket.OPEN;
  };
  expect(await takeAll(100, () => opens("mallory"))).toBeGreaterThan(0);
  expect(await opens("carol")).toBe(true);
});

test("a caller that opens subscriptions without end leaves room for those of others", async () => {
  const target = await serveAbused();
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const opens = async (caller: string): Promise<boolean> => {
    const { signal } = leaving;
    const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, { signal });
    const response = await reach(target, caller).send(listen);
    return response.ok;
  };
  expect(await takeAll(100, () => opens("mallory"))).toBeGreaterThan(0);
  expect(await opens("carol")).toBe(true);
});

test("a caller that has used up its rate leaves that of others alone", async () => {
  const target = await serveAbused({ middleware: [rateLimit({ limit: 5, now: () => 0 })] });
  const calls = async (caller: string): Promise<boolean> => {
    const echo = modern("tools/call", { name: "echo", arguments: { text: "hi" } });
    const { result } = await readJson(await reach(target, caller).send(echo));
    return result?.["isError"] !== true;
  };
  expect(await takeAll(100, () => calls("mallory"))).toBe(5);
  expect(await calls("carol")).toBe(true);
});

test("a caller that keeps all its places busy leaves those of others free", async () => {
  const target = await serveAbused();
  const mallory = reach(target, "mallory");
  const statuses: number[] = [];
  const calls = Array.from({ length: LIMITS.perClient + 4 }, async (_, id) => {
    const response = await mallory.send(modern("tools/call", { name: "hold", arguments: {} }, { id }));
    statuses.push(response.status);
  });
  // A call that came after the release would be held for ever, so all of them must have come.
  await expect.poll(() => statuses).toEqual([429, 429, 429, 429]);
  expect(target.ledger.runningOf("mallory")).toBe(LIMITS.perClient);
  const echo = modern("tools/call", { name: "echo", arguments: { text: "hi" } });
  const answer = await readJson(await reach(target, "bob").send(echo));
  expect(answer.result?.["content"]).toEqual([{ type: "text", text: "hi" }]);
  target.ledger.release();
  await Promise.all(calls);
  expect(statuses.filter((status) => status === 200)).toHaveLength(LIMITS.perClient);
});

test("a caller that leaves answers behind does not push those of others out of the event store", async () => {
  const eventStore = createMemoryEventStore({ max: 1_000_000, maxPerSession: 50_000 });
  const target = await serveAbused({ http: { legacy: { eventStore } } });
  const bob = await LegacyClient.open(reach(target, "bob"));
  const [text] = await leaveAnswers(target, bob, "bob", 1, 1000);
  for (let turn = 0; turn < 4; turn += 1) {
    const mallory = await LegacyClient.open(reach(target, "mallory"));
    await leaveAnswers(target, mallory, "mallory", LIMITS.perClient, 40_000);
  }
  const [, first] = /id: (\S+)/.exec(text ?? "") ?? [];
  const resumed = new Events(await bob.get(first));
  expect(JSON.stringify(await resumed.rest())).toContain("x".repeat(1000));
});
