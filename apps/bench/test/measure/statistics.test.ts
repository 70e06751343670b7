import { describe, expect, test } from "vitest";
import { divideByRound, quantile, summarize } from "../../src/measure/statistics.ts";

describe("summarize", () => {
  test("finds the middle and the quartiles, in whatever order the figures came", () => {
    expect(summarize([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 2, high: 4 });
  });

  test("interpolates between neighbours", () => {
    expect(summarize([1, 2, 3, 4])).toEqual({ median: 2.5, low: 1.75, high: 3.25 });
  });

  test("takes a single figure for all three", () => {
    expect(summarize([7])).toEqual({ median: 7, low: 7, high: 7 });
  });

  test("refuses to make something of nothing", () => {
    expect(() => summarize([])).toThrow("no figures");
  });
});

test("quantile reaches both ends", () => {
  expect(quantile([1, 2, 3], 0)).toBe(1);
  expect(quantile([1, 2, 3], 1)).toBe(3);
});

test("divideByRound compares figures of the same round only", () => {
  expect(divideByRound([10, 30, 50], [5, 10, 0])).toEqual([2, 3]);
  expect(divideByRound([10, 30], [5])).toEqual([2]);
});
