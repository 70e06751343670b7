import { describe, expect, test } from "vitest";
import { FETCHED_MATRICES } from "../../src/fetched/fetched-matrices.ts";
import { describeCell, limitsOf } from "../../src/matrix/cell.ts";
import { EXTENSION_MATRICES } from "../../src/matrix/extension-matrices.ts";
import { KNOWN_FAILURES, knownFailuresOf } from "../../src/matrix/known-failures.ts";
import { SDK_MATRICES } from "../../src/matrix/sdk-matrices.ts";

const pairs = [...SDK_MATRICES, ...EXTENSION_MATRICES, ...FETCHED_MATRICES].flatMap(({ rows, steps }) =>
  rows.flatMap(({ cells }) => cells.map((cell) => ({ cell, steps }))),
);

test("every pair has a description of its own", () => {
  const descriptions = pairs.map(({ cell }) => describeCell(cell));

  expect(new Set(descriptions).size).toBe(descriptions.length);
});

test("every limit is one of a step that the pair has", () => {
  for (const { cell, steps } of pairs) {
    for (const { step } of limitsOf(cell)) expect(steps, describeCell(cell)).toContain(step);
  }
});

describe.each(KNOWN_FAILURES)("the known failures of $pairs", (failure) => {
  const known = pairs.filter(({ cell }) => knownFailuresOf(cell, [failure]).length > 0);

  test("are those of some pair", () => {
    expect(known).not.toEqual([]);
  });

  test("are in steps that these pairs take", () => {
    for (const { cell, steps } of known) {
      const taken = steps.filter((step) => !limitsOf(cell).some((limit) => limit.step === step));
      expect(taken, describeCell(cell)).toEqual(expect.arrayContaining([...failure.steps]));
    }
  });
});
