import { expect, test } from "vitest";
import { Checks } from "../../src/show/checks.ts";
import { Journal } from "../../src/show/journal.ts";

test("a journal tells which answers came before that of an earlier call", () => {
  const journal = new Journal();
  journal.sent(1);
  journal.isOpen = true;
  for (const id of [2, 3, 4, 5]) journal.sent(id);
  journal.answered(1, false);
  journal.answered(4, false);
  journal.answered(2, false);
  journal.cancelled(3);
  journal.answered(3, false);
  journal.answered(5, true);
  expect(journal.calls.map(({ id, position, arrival, overtaken }) => [id, position, arrival, overtaken])).toEqual([
    [2, 1, 2, 0],
    [3, 2, undefined, 0],
    [4, 3, 1, 2],
    [5, 4, 3, 0],
  ]);
  expect(journal.totals).toEqual({ calls: 4, matched: 3, outOfOrder: 1, errors: 1, cancelled: 1 });
});

test("checks say what did not hold", () => {
  const checks = new Checks();
  checks.same("sum", { a: 1 }, { a: 1 });
  checks.that("sky", true);
  checks.same("text", "Oslo", "Bergen");
  checks.that("order", false, "it was another");
  expect(checks.count).toBe(4);
  expect(checks.failures).toEqual(['text: expected "Bergen", got "Oslo"', "order: it was another"]);
});
