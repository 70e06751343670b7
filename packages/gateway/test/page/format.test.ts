import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeCalls } from "../../page/src/api/merge-calls.ts";
import { changeOf, rateOf } from "../../page/src/format/changes.ts";
import { fitsFilter } from "../../page/src/format/fits-filter.ts";
import {
  formatBytes,
  formatCompact,
  formatCount,
  formatMs,
  formatShare,
  plural,
} from "../../page/src/format/numbers.ts";
import { OUTCOME_NAMES, OUTCOME_ORDER } from "../../page/src/format/outcomes.ts";
import { splitProblem } from "../../page/src/format/problem-text.ts";
import { formatFullTime, formatSpan, formatTime } from "../../page/src/format/times.ts";
import { OUTCOMES } from "../../src/log/call-record.ts";
import { seedCalls } from "../admin/fixture/seeded-calls.ts";

describe("figures", () => {
  test.each([
    [undefined, "–"],
    [0.0812, "0.08 ms"],
    [4.26, "4.26 ms"],
    [9.999, "10 ms"],
    [10, "10 ms"],
    [12.34, "12.3 ms"],
    [99.96, "100 ms"],
    [100, "100 ms"],
    [386.4, "386 ms"],
    [1000, "1 s"],
    [2444, "2.44 s"],
    [10_000, "10 s"],
    [12_345, "12.3 s"],
    [60_000, "1 min"],
    [90_000, "1.5 min"],
  ])("%s milliseconds read %s", (ms, text) => {
    expect(formatMs(ms)).toBe(text);
  });

  test.each([
    [undefined, "–"],
    [0, "0 %"],
    [0.0004, "< 0.1 %"],
    [0.001, "0.1 %"],
    [0.0244, "2.44 %"],
    [0.1, "10 %"],
    [0.1234, "12.3 %"],
    [1, "100 %"],
  ])("The share %s reads %s", (share, text) => {
    expect(formatShare(share)).toBe(text);
  });

  test.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1 KiB"],
    [1434, "1.4 KiB"],
    [102_400, "100 KiB"],
    [153_700, "150 KiB"],
    [1_048_576, "1 MiB"],
    [2 ** 50, "1024 TiB"],
  ])("%i bytes read %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  test("Counts have their thousands apart, and are short on axes", () => {
    expect(formatCount(12_345)).toBe("12,345");
    expect([formatCompact(0), formatCompact(999), formatCompact(1000), formatCompact(12_345)]).toEqual([
      "0",
      "999",
      "1k",
      "12.3k",
    ]);
    expect([plural(1, "tool"), plural(2, "tool"), plural(0, "server waits", "servers wait")]).toEqual([
      "1 tool",
      "2 tools",
      "0 servers wait",
    ]);
  });

  test("Rates and changes are unknown where there is nothing to divide by", () => {
    expect([rateOf({ calls: 0, failures: 0 }), rateOf({ calls: 4, failures: 1 })]).toEqual([undefined, 0.25]);
    expect([changeOf(3, 2), changeOf(1, 2), changeOf(0, 2)]).toEqual([0.5, -0.5, -1]);
    expect([changeOf(undefined, 2), changeOf(2, undefined), changeOf(2, 0)]).toEqual([undefined, undefined, undefined]);
  });
});

describe("times", () => {
  test("A time of today has no day, and another one has", () => {
    const noon = new Date(2026, 6, 28, 12, 5, 9).getTime();
    expect(formatTime(noon, noon + 3_600_000)).toBe("12:05:09");
    expect(formatTime(noon, noon + 86_400_000)).toBe("28 Jul, 12:05:09");
    expect(formatFullTime(noon)).toBe("28 Jul 2026, 12:05:09");
  });

  test.each([
    [-5, "0 min"],
    [59_000, "0 min"],
    [60_000, "1 min"],
    [3_540_000, "59 min"],
    [3_660_000, "1 h 1 min"],
    [86_400_000, "1 d 0 h"],
    [3 * 86_400_000 + 2 * 3_600_000, "3 d 2 h"],
  ])("%i milliseconds read %s", (ms, text) => {
    expect(formatSpan(ms)).toBe(text);
  });
});

test("Every outcome has a name, a sign of its own, and one place in the stack, with those that are fine at the bottom", () => {
  expect([...OUTCOME_ORDER].toSorted()).toEqual([...OUTCOMES].toSorted());
  expect([OUTCOME_ORDER[0], OUTCOME_ORDER.at(-1)]).toEqual(["ok", "error"]);
  expect(new Set(OUTCOMES.map((outcome) => OUTCOME_NAMES[outcome].sign)).size).toBe(OUTCOMES.length);
  expect(new Set(OUTCOMES.map((outcome) => OUTCOME_NAMES[outcome].name)).size).toBe(OUTCOMES.length);
});

describe("problems", () => {
  test("A short sentence is all there is", () => {
    expect(splitProblem(" It failed. \n")).toEqual({ line: "It failed.", whole: undefined });
  });

  test("Of several lines the first is shown, and all of them are behind it with their breaks", () => {
    expect(splitProblem("It failed:\nnpm error\r\nnpm log\n")).toEqual({
      line: "It failed:",
      whole: "It failed:\nnpm error\r\nnpm log",
    });
  });

  test("A long line is cut between words, and in a word if there is no blank near the end", () => {
    const words = splitProblem("word ".repeat(60));
    expect(words.line).toMatch(/word …$/);
    expect(words.line.length).toBeLessThanOrEqual(162);
    expect(words.line.length).toBeGreaterThan(150);
    expect(words.whole).toBe("word ".repeat(60).trim());
    expect(splitProblem("x".repeat(161)).line).toBe(`${"x".repeat(160)} …`);
    expect(splitProblem("x".repeat(160))).toEqual({ line: "x".repeat(160), whole: undefined });
    expect(splitProblem(`${"a".repeat(80)} ${"x".repeat(200)}`).line).toHaveLength(162);
    expect(splitProblem(`${"a".repeat(81)} ${"x".repeat(200)}`).line).toBe(`${"a".repeat(81)} …`);
  });

  test("Nothing is lost, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 500 }), (text) => {
        const { line, whole } = splitProblem(text);
        expect(whole ?? line).toBe(text.trim());
        expect(line).not.toMatch(/[\r\n]/);
        expect(line.length).toBeLessThanOrEqual(162);
      }),
    );
  });
});

test("Calls of several lists are there once, newest first, as the last list has them", () => {
  const [one, two, three] = seedCalls(3);
  if (one === undefined || two === undefined || three === undefined) throw new Error("the fixture lacks calls");
  const later = { ...two, tool: "changed" };
  expect(mergeCalls([three, two], [later, one])).toEqual([three, later, one]);
});

test("An operation fits a filter that has only words of its id, name, description and tags, in any order and case", () => {
  const candidate = {
    id: "GET /pets",
    method: "GET",
    path: "/pets",
    tags: ["Animals"],
    tool: "listPets",
    description: "All of them",
    bytes: 1,
    tokens: 1,
    notes: [],
  };
  for (const filter of ["", "pets get", "LISTPETS", "animals", "all of", "them  get"]) {
    expect([filter, fitsFilter(candidate, filter)]).toEqual([filter, true]);
  }
  expect(fitsFilter(candidate, "pets post")).toBe(false);
  const { tool: _, description: __, ...bare } = candidate;
  expect(fitsFilter(bare, "undefined")).toBe(false);
});
