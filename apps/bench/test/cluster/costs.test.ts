import { expect, test } from "vitest";
import { readMeasured } from "../../src/cluster/costs/measured.ts";
import { EXAMPLES, makeBill } from "../../src/cluster/costs/model.ts";
import { writeCostPage } from "../../src/cluster/costs/page.ts";
import { FIGURES } from "./figures.ts";

const [, million] = EXAMPLES;

test("an engine is reckoned with if everything of it was measured", () => {
  expect(readMeasured(FIGURES, "postgres")).toBeUndefined();
  expect(readMeasured({ ...FIGURES, operations: FIGURES.operations.slice(1) }, "redis")).toBeUndefined();
  expect(readMeasured({ ...FIGURES, footprints: FIGURES.footprints.slice(1) }, "redis")).toBeUndefined();
  const measured = readMeasured(FIGURES, "redis");
  // The larger of heap and all memory: some of the heap may have been there before.
  expect(measured).toMatchObject({ callCpu: 20, view: 2500, stream: 8000, record: 500, operationBytes: 400 });
  expect(measured?.nodeCpu("sessions.release")).toBe(20);
});

test("there are as many nodes as keep all of them as busy as they are to be", () => {
  const measured = readMeasured(FIGURES, "redis");
  if (measured === undefined || million === undefined) throw new Error("There is nothing to reckon with.");
  const any = makeBill(million, "any node", measured);
  const same = makeBill(million, "same node", measured);
  expect(any.nodeCores / any.load.nodes).toBeLessThanOrEqual(0.5);
  expect(any.nodeCores / (any.load.nodes - 1)).toBeGreaterThan(0.45);
  // Fifty thousand calls of 120 µs are six cores. The rest is upkeep, most of which a balancer saves that keeps sessions together.
  expect(any.nodeCores).toBeGreaterThan(same.nodeCores);
  expect(same.nodeCores).toBeGreaterThan(6);
  expect(any.asked).toBeGreaterThan(2 * same.asked);
  expect(any.engineMemory).toBeGreaterThan(1_000_000 * 500);
});

test("a cluster in which nodes cost each other more than they add is refused", () => {
  const measured = readMeasured(FIGURES, "redis");
  if (measured === undefined || million === undefined) throw new Error("There is nothing to reckon with.");
  const costly = { ...measured, nodeCpu: () => 1e6 };
  expect(() => makeBill(million, "any node", costly)).toThrow("No number of nodes is enough");
});

test("the page has a bill for each engine that was measured, and for each example", () => {
  const page = writeCostPage(FIGURES);
  expect(page).toContain("## With Redis");
  expect(page).not.toContain("## With Postgres");
  for (const { title } of EXAMPLES) expect(page).toContain(`${title}, any node`);
  expect(page).not.toContain("NaN");
});

test("a simulation stands beside what the arithmetic says of its load", () => {
  const load = {
    nodes: 2,
    reach: 2,
    sessions: 10,
    streams: 0,
    calls: 1,
    questions: 0,
    cancellations: 0,
    resumptions: 0,
    turnover: 0.5,
    reconnections: 0,
    changes: 0,
  };
  const simulation = { load, seconds: 100, messages: 250, counted: [["sessions.create", 0.48]] as const };
  expect(writeCostPage({ ...FIGURES, simulation })).toMatch(/`sessions\.create` +\| +50 \| +48 \| +0\.96 \|/);
});
