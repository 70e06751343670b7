/** The arithmetic of the cost page against servers that do what it counts. */
import { expect, test } from "vitest";
import { countOperations, type Load, type Operation } from "../../src/cluster/costs/operations.ts";
import { simulate } from "../../src/cluster/simulation/simulate.ts";

const LOAD: Load = {
  nodes: 3,
  reach: 3,
  sessions: 60,
  streams: 12,
  calls: 1.6,
  questions: 0.1,
  cancellations: 0.1,
  resumptions: 0.1,
  turnover: 0.04,
  reconnections: 0.08,
  changes: 0.05,
};

test("a simulated cluster asks its engine as often as the arithmetic says, in every way", async () => {
  const counting = 1200;
  const { load, operations, news } = await simulate({ load: LOAD, settling: 120, counting, seed: 28 });
  const expected = countOperations(load);
  const names = new Set([...operations.keys(), ...Object.keys(expected)] as Operation[]);
  const wrong = [...names].flatMap((name) => {
    const counted = (operations.get(name) ?? 0) * counting;
    const sum = (expected[name] ?? 0) * counting;
    // What happens a few times only is decided by chance: which of three nodes gets a message.
    const isRight = Math.abs(counted - sum) <= Math.max(0.1 * sum, 2 * Math.sqrt(sum));
    return isRight ? [] : [`${name}: ${counted} instead of ${sum.toFixed(0)}`];
  });
  expect(wrong).toEqual([]);
  const total = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);
  expect(total(operations.values()) / total(Object.values(expected))).toBeCloseTo(1, 1);
  // Every listener hears of every change: this is a cluster that works.
  expect(news).toBe(Math.round(load.changes * counting) * LOAD.streams);
});

test("more nodes and fewer calls make upkeep a matter of every message", () => {
  const upkeep = (nodes: number, calls: number): number => {
    const quiet = {
      questions: 0,
      cancellations: 0,
      resumptions: 0,
      turnover: 0,
      reconnections: 0,
      changes: 0,
      streams: 0,
    };
    return countOperations({ ...quiet, nodes, reach: nodes, calls, sessions: 1 })["sessions.touch"] / calls;
  };
  // Ten calls a second at one node: one of three hundred prolongs the session.
  expect(upkeep(1, 10)).toBeCloseTo(1 / 301, 4);
  expect(upkeep(100, 0.01)).toBeCloseTo(1, 2);
});
