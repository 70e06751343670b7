/** What servers share, over a network that delays, repeats and loses, to an engine that fails and is restarted empty. */
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { Unavailable } from "../../src/errors.ts";
import { KeyRing } from "../../src/input/key-ring.ts";
import { StateSeal } from "../../src/input/seal.ts";
import { RingSeal } from "../../src/input/server-seal.ts";
import { SharedChanges } from "../../src/subscriptions/shared-changes.ts";
import { createFaultyEngine } from "./faulty-engine.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const faults = fc.record({
  seed: fc.nat(),
  delay: fc.nat(4),
  duplication: fc.constantFrom(0, 0.3),
  failures: fc.constantFrom(0, 0.2),
  repeats: fc.constantFrom(0, 0.3),
});

/** Lets everything run that is under way, which takes a bounded number of turns. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

test("every node ends up informed of every change, whatever happens in between", async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ node: fc.nat(2), uri: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ node: fc.nat(2), act: fc.constantFrom("cut", "mend", "restart", "settle") }) },
  );
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await fc.assert(
      fc.asyncProperty(faults, fc.array(step, { maxLength: 25 }), async (given, steps) => {
        const engine = createFaultyEngine(given);
        const nodes = [0, 1, 2].map(() => {
          const cluster = engine.connect();
          /** The changes that the node has not heard of since they were announced last. */
          const unheard = new Set<string>();
          const shared = new SharedChanges(cluster.bus, "server", {
            hear: (changes) => changes.forEach((change) => "uri" in change && unheard.delete(change.uri)),
            missed: () => unheard.clear(),
            stateChanged: () => undefined,
          });
          return { cluster, shared, unheard };
        });
        await settle();
        for (const each of steps) {
          const node = nodes[each.node];
          if (node === undefined) continue;
          if ("uri" in each) {
            for (const { unheard } of nodes) unheard.add(`a://${each.uri}`);
            node.shared.announce([{ uri: `a://${each.uri}` }]);
          } else if (each.act === "cut") engine.cut(node.cluster);
          else if (each.act === "mend") engine.mend(node.cluster);
          else if (each.act === "restart") engine.restartEmpty();
          else await settle();
        }
        engine.calm();
        engine.mend();
        await settle();
        // The longest pause between two attempts.
        vi.advanceTimersByTime(60_000);
        await settle();
        expect(nodes.map(({ unheard }) => [...unheard])).toEqual([[], [], []]);
        await Promise.all(nodes.map(({ shared }) => shared.end()));
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 60 },
    );
  } finally {
    vi.useRealTimers();
  }
});

test("what one node has sealed opens at every node, or is neither good nor bad for now", async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ node: fc.nat(2), text: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ node: fc.nat(2), act: fc.constantFrom("cut", "mend", "restart") }) },
    { weight: 1, arbitrary: fc.record({ hours: fc.nat(30) }) },
  );
  await fc.assert(
    fc.asyncProperty(faults, fc.array(step, { maxLength: 30 }), async (given, steps) => {
      let time = 0;
      const engine = createFaultyEngine(given, { now: () => time });
      const clock = { now: () => time, wait: async (ms: number) => void (time += ms) };
      const nodes = [0, 1, 2].map(() => {
        const cluster = engine.connect();
        return { cluster, seal: new RingSeal(new KeyRing(cluster.keys, clock), HOUR, new StateSeal([], HOUR)) };
      });
      const texts: string[] = [];
      /** Whether a key may be missing in the engine, because the node that knows it could not put it back yet. */
      let mayLackKeys = false;
      let isAnyCut = false;
      /** Has all nodes look into the engine. */
      const look = async (): Promise<void> => {
        time += 11 * MINUTE;
        await Promise.all(nodes.map(({ seal }) => seal.seal(0, "context", 0).catch(() => undefined)));
        await settle();
      };
      for (const each of steps) {
        if ("hours" in each) time += each.hours * HOUR;
        else if ("act" in each) {
          isAnyCut ||= each.act === "cut";
          if (each.act === "cut") engine.cut(nodes[each.node]?.cluster);
          else if (each.act === "mend") engine.mend(nodes[each.node]?.cluster);
          else {
            engine.restartEmpty();
            mayLackKeys ||= given.failures > 0 || isAnyCut;
            await look();
          }
        } else {
          const { seal } = nodes[each.node] ?? nodes[0]!;
          const sealed = await seal.seal(texts.length, "context", 0).catch((error: unknown) => error);
          if (typeof sealed === "string") texts.push(sealed);
          else expect(sealed).toBeInstanceOf(Unavailable);
          const text = texts[each.text];
          if (text === undefined) continue;
          const opened = await seal.open(text, "context", 1).catch((error: unknown) => error);
          if (opened instanceof Unavailable || (mayLackKeys && opened === undefined)) continue;
          expect(opened).toEqual({ value: each.text });
        }
      }
      engine.calm();
      engine.mend();
      await look();
      await look();
      for (const { seal } of nodes) {
        for (const [value, text] of texts.entries()) expect(await seal.open(text, "context", 1)).toEqual({ value });
      }
    }),
    { numRuns: 100 },
  );
});
