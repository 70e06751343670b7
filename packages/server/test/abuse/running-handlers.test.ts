/** Handlers that run are limited, whatever happened to the requests that started them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { modern, readJson } from "../bindings/http/client.ts";
import { countConnections, LIMITS, serveAbused, type AbusedServer } from "./abused-server.ts";
import { ACTIONS, BINDINGS, enterLines, type Abuser, type Action } from "./abusers.ts";

const SEEDS = [1, 2];
const LENGTH = 240;
const HONEST_EVERY = 12;

/** The same mix for the same seed. */
function mixOf(seed: number): readonly Action[] {
  const mix = fc.array(fc.constantFrom(...ACTIONS), { minLength: LENGTH, maxLength: LENGTH });
  const [actions = []] = fc.sample(mix, { seed, numRuns: 1 });
  return actions;
}

/** Has an abuser do all that, and lets somebody else call in between. */
async function abuse(abuser: Abuser, seed: number, callMeanwhile: () => Promise<void>): Promise<void> {
  for (const [index, action] of mixOf(seed).entries()) {
    await abuser[action]();
    if (index % HONEST_EVERY === 0) await callMeanwhile();
  }
}

/** The answers that an honest client gets while others abuse the server. */
async function callHonestly({ url }: AbusedServer): Promise<void> {
  const headers = { authorization: "bob" };
  const response = await fetch(url, modern("tools/call", { name: "echo", arguments: { text: "hi" } }, { headers }));
  const { result } = await readJson(response);
  expect(result?.["content"]).toEqual([{ type: "text", text: "hi" }]);
}

/** How many of some more calls than allowed are begun. */
async function countAdmitted({ url, ledger }: AbusedServer, caller: string): Promise<number> {
  let refused = 0;
  const calls = Array.from({ length: LIMITS.perClient + 4 }, async (_, index) => {
    const headers = { authorization: caller };
    const response = await fetch(url, modern("tools/call", { name: "hold", arguments: {} }, { headers, id: index }));
    if (response.status !== 200) refused += 1;
    await response.text();
  });
  await expect.poll(() => ledger.runningOf(caller) + refused).toBe(LIMITS.perClient + 4);
  const admitted = ledger.runningOf(caller);
  ledger.release();
  await Promise.all(calls);
  return admitted;
}

describe.each(BINDINGS)("$name", ({ enter }) => {
  test.each(SEEDS)("never runs more handlers of one caller at once than allowed, mix %i", async (seed) => {
    const target = await serveAbused();
    const abuser = await enter(target, "mallory");
    await abuse(abuser, seed, () => callHonestly(target));
    // The mix is worth something only if it goes to the limit.
    await expect.poll(() => target.ledger.peakOf("mallory")).toBeGreaterThanOrEqual(LIMITS.perClient);
    abuser.leave();
    await expect.poll(() => countConnections(target)).toBe(0);
    expect(target.ledger.peakOf("mallory")).toBe(LIMITS.perClient);

    // Places that are free again can be taken again, all of them and no more.
    await expect.poll(() => (target.ledger.release(), target.ledger.running)).toBe(0);
    expect(await countAdmitted(target, "mallory")).toBe(LIMITS.perClient);
  });
});

test("no binding gives a caller places beside those it has taken over another", async () => {
  const target = await serveAbused();
  const abusers = await Promise.all(
    BINDINGS.filter(({ name }) => name !== "WebSocket").map(({ enter }) => enter(target, "mallory")),
  );
  for (const [index, abuser] of abusers.entries()) await abuse(abuser, index + 10, () => callHonestly(target));
  expect(target.ledger.peakOf("mallory")).toBe(LIMITS.perClient);
  for (const abuser of abusers) abuser.leave();
});

test("many callers together never run more handlers at once than the server allows", async () => {
  const target = await serveAbused();
  const names = ["mallory", "trudy", "eve", "oscar"];
  const abusers = await Promise.all(names.map((name) => BINDINGS[0]!.enter(target, name)));
  for (const action of mixOf(4)) {
    for (const abuser of abusers) await abuser[action]();
  }
  await expect.poll(() => target.ledger.peak).toBeGreaterThanOrEqual(LIMITS.all);
  expect(target.ledger.peak).toBe(LIMITS.all);
  for (const name of names) expect(target.ledger.peakOf(name)).toBeLessThanOrEqual(LIMITS.perClient);
  for (const abuser of abusers) abuser.leave();
});

test.each(SEEDS)("a channel never runs more handlers at once than allowed, mix %i", async (seed) => {
  const target = await serveAbused();
  const abuser = await enterLines(target, "mallory");
  // Each connection has a limit of its own here, so the mix stays on one.
  const { reconnect: _reconnect, disappear: _disappear, ...onOneConnection } = abuser;
  await abuse({ ...onOneConnection, reconnect: async () => {}, disappear: async () => {} }, seed, () =>
    callHonestly(target),
  );
  await expect.poll(() => target.ledger.peakOf("mallory")).toBeGreaterThanOrEqual(LIMITS.perClient);
  expect(target.ledger.peakOf("mallory")).toBe(LIMITS.perClient);
  abuser.leave();
});
