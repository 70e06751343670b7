import { expect, test } from "vitest";
import { CELLS, type Cell } from "../../src/cells.ts";
import { planFaults, type PlannedFault } from "../../src/faults/plan-faults.ts";

function plan(seed: number, cell: Cell, count = 50): PlannedFault[] {
  const faults = planFaults(seed, cell);
  return Array.from({ length: count }, () => faults.next().value);
}

test.each(CELLS)("the same seed plans the same faults, another seed plans others: %j", (cell) => {
  expect(plan(7, cell)).toEqual(plan(7, cell));
  expect(plan(8, cell)).not.toEqual(plan(7, cell));
});

test("cells have plans of their own", () => {
  const plans = CELLS.map((cell) => JSON.stringify(plan(7, cell)));

  expect(new Set(plans).size).toBe(CELLS.length);
});

test("every kind of fault happens where it can, and connections are cut only where there is a proxy", () => {
  for (const cell of CELLS) {
    const kinds = new Set(plan(7, cell, 200).map(({ kind }) => kind));

    expect([...kinds].toSorted()).toEqual(
      cell.routes.includes("proxy") ? ["cut", "kill", "reset", "stall", "stop"] : ["kill", "stop"],
    );
  }
});

test("most faults wait until calls are answered again, and some do not", () => {
  const waiting = plan(7, CELLS[0]!, 200).filter(({ awaitsAnswer }) => awaitsAnswer).length;

  expect(waiting).toBeGreaterThan(120);
  expect(waiting).toBeLessThan(200);
});
