import { expect, test } from "vitest";
import { CELLS } from "../../src/cells.ts";
import { planFaults } from "../../src/faults/plan-faults.ts";

test.each(CELLS)("the same seed plans the same faults, another seed plans others: %j", (cell) => {
  expect(planFaults(7, cell, 60_000)).toEqual(planFaults(7, cell, 60_000));
  expect(planFaults(8, cell, 60_000)).not.toEqual(planFaults(7, cell, 60_000));
});

test("a longer run begins with the faults of a shorter one", () => {
  const short = planFaults(7, CELLS[3]!, 20_000);

  expect(short.length).toBeGreaterThan(5);
  expect(planFaults(7, CELLS[3]!, 60_000).slice(0, short.length)).toEqual(short);
});

test("cells have plans of their own", () => {
  const plans = CELLS.map((cell) => JSON.stringify(planFaults(7, cell, 60_000)));

  expect(new Set(plans).size).toBe(CELLS.length);
});

test("every kind of fault happens where it can, and connections are cut only where there is a proxy", () => {
  for (const cell of CELLS) {
    const kinds = new Set(planFaults(7, cell, 300_000).map(({ kind }) => kind));

    expect([...kinds].toSorted()).toEqual(
      cell.routes.includes("proxy") ? ["cut", "kill", "reset", "stall", "stop"] : ["kill", "stop"],
    );
  }
});

test("calls run undisturbed at first and at last", () => {
  const plan = planFaults(7, CELLS[0]!, 10_000);

  expect(plan[0]!.at).toBeGreaterThanOrEqual(1000);
  expect(plan.at(-1)!.at).toBeLessThanOrEqual(9000);
});
