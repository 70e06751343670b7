import { expect, test } from "vitest";
import { printFigures, writeClusterReport } from "../../src/cluster/report.ts";
import { FIGURES } from "./figures.ts";

/** The cells of the row that begins so. */
function rowOf(text: string, label: string): string[] {
  const line = text.split("\n").find((each) => each.startsWith(`| ${label} `)) ?? "";
  return line.split("|").map((cell) => cell.trim());
}

test("targets are shares of the CPU of the base in the same round, and say whether they are met", () => {
  const report = writeClusterReport(FIGURES);
  expect(rowOf(report, "modern calls with a bus, Redis")).toContain("0.80 (0.80 to 0.80)");
  expect(rowOf(report, "modern calls with a bus, Redis").at(-2)).toBe("no");
  expect(rowOf(report, "calls of legacy sessions at a node that knows them, Redis").at(-2)).toBe("yes");
  expect(rowOf(report, "calls of legacy sessions that are looked up each time, Redis").at(-2)).toBe("no");
  expect(rowOf(report, "cold-redis")).toContain("0.40 (0.40 to 0.40)");
});

test("memory, times between nodes and operations have tables of their own", () => {
  const report = writeClusterReport(FIGURES);
  expect(rowOf(report, "an open GET stream in its node, without what the kernel takes")).toContain("8 000");
  expect(rowOf(report, "redis")).toEqual(["", "redis", "1.00, 2.0", "1.50, 4.0", "0.50, 2.0", "3.00, 6.0", "10", ""]);
  expect(rowOf(report, "redis: `sessions.get`")).toContain("10 000");
});

test("what could not be measured has no target, and the reason is in the report", () => {
  const text = printFigures(FIGURES);
  expect(text).toContain("modern-postgres did not take part: There is no Postgres.");
  expect(text).toContain("record-postgres: There is no Postgres.");
  expect(text).not.toContain("with a bus, Postgres");
});
