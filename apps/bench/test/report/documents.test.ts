import { describe, expect, test } from "vitest";
import type { Results } from "../../src/measure/results.ts";
import { embedSummary, writeReport } from "../../src/report/documents.ts";
import { drawGrowth, findDecades } from "../../src/report/plot.ts";

const memory = { heap: 0, resident: 0, peak: 0 };

const results: Results = {
  date: "2026-01-01",
  machine: { cpu: "CPU", cores: 2, node: "20.19.0", system: "Linux", isPinned: true },
  effort: { rounds: 1, warmUpMs: 1, settleMs: 1, windowMs: 1 },
  versions: { v2: "some-package 2.4.0" },
  servers: [
    {
      id: "x",
      title: "HTTP modern",
      target: { baseline: 0.8, v2: 7 },
      outcomes: [
        { name: "toolwire", rates: [90], memory },
        { name: "v2", rates: [10], memory },
        { name: "raw", rates: [100], memory },
        { name: "v1", absence: "no modern" },
        { name: "tmcp", absence: "failed: the process\nended" },
      ],
    },
  ],
  clients: [],
  growth: [
    {
      id: "growth-tools",
      title: "by tools",
      of: "tools",
      memoryTitle: "heap",
      points: [1, 10, 100],
      series: [{ name: "a <b>", rates: [100, 90, undefined], memory: [1e6, 2e6, 3e6] }],
    },
  ],
};

describe("the report", () => {
  const report = writeReport(results);

  test("says under which circumstances it was made", () => {
    expect(report).toContain("2026-01-01: CPU, 2 cores, Linux, Node 20.19.0; server and load pinned to a core each");
    expect(report).toContain("some-package 2.4.0");
  });

  test("has a figure, a reason or a failure for everyone", () => {
    expect(report).toContain("| HTTP modern | 0.90 (0.90 to 0.90) | 0.10 (0.10 to 0.10) | no modern |");
    expect(report).toContain("- x: tmcp failed: the process ended");
  });

  test("shows the plots", () => {
    expect(report).toContain("](results/growth-tools.svg)");
  });
});

describe("the summary in the README", () => {
  test("replaces what stands between the markers, and nothing else", () => {
    const readme = "before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n";
    const embedded = embedSummary(readme, results);
    expect(embedded).toMatch(/^before\n<!-- bench:begin -->\n/);
    expect(embedded).toMatch(/\n<!-- bench:end -->\nafter\n$/);
    expect(embedded).not.toContain("old");
    expect(embedded.replaceAll(/ +/g, " ")).toContain("| HTTP modern | 0.90 | 9.0 | 100 | 0.80 | 7.0 | yes |");
    expect(embedSummary(embedded, results)).toBe(embedded);
  });

  test("leaves a README without markers alone", () => {
    expect(embedSummary("nothing here", results)).toBe("nothing here");
  });
});

describe("plots", () => {
  test("skip what was not measured and escape names", () => {
    const svg = drawGrowth(results.growth[0] as Results["growth"][number]);
    expect(svg).toContain("a &lt;b>");
    expect(svg.match(/<circle/g)).toHaveLength(5);
    expect(svg).not.toContain("NaN");
  });

  test("cover all values with powers of ten", () => {
    expect(findDecades([3, 250])).toEqual([1, 10, 100, 1000]);
    expect(findDecades([100, 100])).toEqual([100, 1000]);
    expect(findDecades([])).toEqual([1, 10]);
  });
});
