import { describe, expect, test } from "vitest";
import type { Race } from "../../src/measure/results.ts";
import { compare, judge } from "../../src/measure/verdict.ts";

const memory = { heap: 0, resident: 0, peak: 0 };
const race: Race = {
  id: "x",
  title: "x",
  target: { baseline: 0.8, v2: 5 },
  outcomes: [
    { name: "toolwire", rates: [80, 90, 160], memory },
    { name: "v2", rates: [10, 30, 10], memory },
    { name: "raw", rates: [100, 100, 200], memory },
    { name: "v1", absence: "no modern" },
  ],
};

describe("compare", () => {
  test("takes ratios within rounds", () => {
    expect(compare(race, "toolwire", "raw")?.median).toBe(0.8);
    expect(compare(race, "toolwire", "v2")?.median).toBe(8);
  });

  test("has nothing to say about those who were not there", () => {
    expect(compare(race, "v1", "raw")).toBeUndefined();
    expect(compare(race, "tmcp", "raw")).toBeUndefined();
  });
});

describe("judge", () => {
  test("is content when both targets are reached", () => {
    expect(judge(race)).toEqual({ isMet: true, shortfall: 0 });
  });

  test("goes by the target that is missed most", () => {
    expect(judge({ ...race, target: { baseline: 1, v2: 16 } })).toEqual({ isMet: false, shortfall: 0.5 });
  });

  test("has no opinion without a target", () => {
    const { target: _, ...rest } = race;
    expect(judge(rest)).toBeUndefined();
  });
});
