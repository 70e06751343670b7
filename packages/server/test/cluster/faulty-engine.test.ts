import { describe, expect, it, test, vi } from "vitest";
import type { BusListener, Cluster } from "../../src/cluster/index.ts";
import { clusterContract, registerContract } from "../../src/testing/index.ts";
import { createFaultyEngine } from "./faulty-engine.ts";

const calm = createFaultyEngine({ seed: 1 });
const slow = createFaultyEngine({ seed: 2, delay: 3, duplication: 0.5 });

registerContract(
  "a faulty engine without faults",
  clusterContract({ connect: () => calm.connect(), timeout: 20_000 }),
  {
    describe,
    it,
  },
);

// Contracts allow for delays, other orders and things that arrive twice: nothing that a server sees may change.
registerContract(
  "a slow engine whose messages arrive twice",
  clusterContract({
    connect: () => slow.connect(),
    restartEmpty: () => slow.restartEmpty(),
    maxChanges: 10_000,
    timeout: 20_000,
  }),
  { describe, it },
);

const ROOM = { max: Infinity, maxPerClient: Infinity };

function record(node: Cluster): { readonly changes: string[]; readonly states: boolean[]; missed: number } {
  const heard = { changes: [] as string[], states: [] as boolean[], missed: 0 };
  const listener: BusListener = {
    message: ({ body }) => body,
    changes: ({ changes }) => void heard.changes.push(...changes),
    missed: () => void (heard.missed += 1),
    stateChanged: (isUp) => void heard.states.push(isUp),
  };
  node.bus.listen(listener);
  return heard;
}

test("an engine that is cut off refuses everything, and goes on with what it had", async () => {
  const engine = createFaultyEngine({ seed: 3, delay: 2 });
  const [one, other] = [engine.connect(), engine.connect()];
  const [heard, elsewhere] = [record(one), record(other)];
  await one.sessions.create({ id: "s", facts: "{}" }, 1000, ROOM);
  engine.cut(one);
  expect(one.bus.isUp).toBe(false);
  await expect(one.sessions.get("s")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(one.bus.announce(["lost"])).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await other.bus.announce(["kept"]);
  const unheard = other.bus.request(one.node, { id: "m", kind: "x", body: 1 }, { timeout: 20 });
  await expect(unheard).rejects.toMatchObject({ code: "TIMEOUT" });
  await vi.waitFor(() => expect(elsewhere.changes).toEqual(["kept"]));
  expect(heard.changes).toEqual([]);
  engine.mend();
  await vi.waitFor(() => expect(heard.changes).toEqual(["kept"]));
  expect(heard.states).toEqual([false, true]);
  expect(await one.sessions.get("s")).toBeDefined();
});

test("an engine that was restarted empty has nothing, and tells nodes that they missed changes", async () => {
  const engine = createFaultyEngine({ seed: 4, delay: 2 });
  const [one, other] = [engine.connect(), engine.connect()];
  const heard = record(one);
  await one.sessions.create({ id: "s", facts: "{}" }, 1000, ROOM);
  engine.restartEmpty();
  await vi.waitFor(() => expect(heard.missed).toBe(1));
  expect(await other.sessions.get("s")).toBeUndefined();
  expect(await other.bus.request(one.node, { id: "m", kind: "echo", body: 7 }, { timeout: 1000 })).toBe(7);
});

test("the same seed makes the same faults", async () => {
  const outcomes = await Promise.all(
    [5, 5, 6].map(async (seed) => {
      const { sessions } = createFaultyEngine({ seed, failures: 0.5, repeats: 0.3 }).connect();
      const results: string[] = [];
      for (let index = 0; index < 50; index++) {
        results.push(await sessions.create({ id: `s${index}`, facts: "" }, 1000, ROOM).catch(() => "failed"));
      }
      return results;
    }),
  );
  expect(outcomes[0]).toEqual(outcomes[1]);
  expect(outcomes[0]).not.toEqual(outcomes[2]);
  expect(outcomes[0]).toContain("failed");
  expect(outcomes[0]).toContain("created");
});

test("a call that fails may have been carried out, and messages may be lost", async () => {
  const engine = createFaultyEngine({ seed: 7, failures: 0.6, loss: 0.5 });
  const [one, other] = [engine.connect(), engine.connect()];
  record(other);
  let failed = 0;
  for (let index = 0; index < 40; index++) {
    await one.sessions.create({ id: `s${index}`, facts: "" }, 60_000, ROOM).catch(() => (failed += 1));
  }
  let lost = 0;
  for (let index = 0; index < 40; index++) {
    await one.bus
      .request(other.node, { id: `m${index}`, kind: "x", body: 1 }, { timeout: 1000 })
      .catch(() => (lost += 1));
  }
  engine.calm();
  const found = await Promise.all(Array.from({ length: 40 }, (_, index) => one.sessions.get(`s${index}`)));
  const kept = found.filter((session) => session !== undefined).length;
  expect(kept).toBeGreaterThan(40 - failed);
  expect(kept).toBeLessThan(40);
  expect(lost).toBeGreaterThan(0);
  expect(lost).toBeLessThan(40);
});
