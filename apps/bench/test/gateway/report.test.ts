import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CONTENDERS, withBefore } from "../../src/gateway/contenders.ts";
import type { Figures } from "../../src/gateway/measure.ts";
import { describeFigures, printFigures, writeGatewayReport } from "../../src/gateway/report.ts";

function figuresOf(name: string, backend: Figures["backend"], rate: number, p50: number): Figures {
  return {
    name,
    backend,
    description: `what ${name} is`,
    rates: { small: [rate, rate * 2, rate], large: [rate / 2, rate, rate / 2] },
    costs: { small: [1e6 / rate, 1e6 / rate, 1e6 / rate], large: [] },
    latencies: [1, 2, 3].map((factor) => ({ p50: p50 * factor, p99: p50 * factor * 2, calls: 100 })),
    failure: undefined,
  };
}

const FIGURES: readonly Figures[] = [
  figuresOf("direct", "api", 40_000, 0.1),
  figuresOf("forwarder", "api", 20_000, 0.2),
  figuresOf("toolwire", "api", 12_000, 0.3),
  figuresOf("mcp-direct", "mcp", 30_000, 0.1),
  { ...figuresOf("mcp-proxy", "mcp", 1, 1), rates: { small: [], large: [] }, latencies: [], failure: "It\nended." },
];

test("ratios and added latencies are taken within a round", () => {
  const tables = new Map(describeFigures(FIGURES).map(({ title, table }) => [title, table]));
  const row = tables.get("In front of an HTTP API")?.rows.find(([name]) => name === "toolwire");
  expect(row?.slice(0, 3)).toEqual(["toolwire", "12 000 (12 000 to 18 000)", "0.60 (0.60 to 0.60)"]);
  // 0.2, 0.4 and 0.6 ms more than `direct` in the same round.
  expect(row?.at(-2)).toBe("0.40 (0.30 to 0.50)");
  const targets = new Map(tables.get("Targets")?.rows.map(([text, ...rest]) => [text, rest]));
  expect(targets.get("100 B, 64 in flight, log in PGlite, as a multiple of the forwarder")).toEqual([
    "at least 0.55",
    "0.60 (0.60 to 0.60)",
    "yes",
  ]);
  expect(targets.get("CPU of the forwarder for a call of 100 B, as a share of ours, log in PGlite")?.at(-1)).toBe(
    "yes",
  );
  expect(targets.get("added latency, p50, in ms, log in PGlite")?.at(-1)).toBe("no");
});

test("our gateway is divided by that of another checkout within a round, and there is no such table without one", () => {
  const before = figuresOf("before", "api", 15_000, 0.2);
  const tables = new Map(describeFigures([...FIGURES, before]).map(({ title, table }) => [title, table]));
  const rows = tables.get("This build, as a multiple of the other")?.rows;
  const calls = "0.80 (0.80 to 0.80)";
  expect(rows).toEqual([["toolwire", calls, calls, "1.25 (1.25 to 1.25)", "", "1.50 (1.50 to 1.50)"]]);
  expect(printFigures(FIGURES)).not.toContain("of the other");
});

test("another checkout brings one contender for each of ours, and must be built", () => {
  const checkout = fileURLToPath(new URL("../../../../", import.meta.url));
  const names = withBefore(CONTENDERS, checkout).map(({ name }) => name);
  expect(names).toHaveLength(CONTENDERS.length + 5);
  expect(names.slice(2, 6)).toEqual(["toolwire", "before", "toolwire-memory", "before-memory"]);
  expect(() => withBefore(CONTENDERS, "/nowhere")).toThrow("There is no /nowhere/packages/gateway/dist/main.js.");
});

test("what secrets cost is a table of its own, and there is none without figures", () => {
  const secrets = [{ what: "adding secrets", times: [3.14, 2.72, 9.8] }];
  const report = writeGatewayReport(FIGURES, "Measured somewhere.", secrets);
  expect(report).toMatch(/## Secrets\n\n\| work +\| +ms \|\n.*\n\| adding secrets \| 3\.1 \(2\.9 to 6\.5\) \|/);
  expect(printFigures(FIGURES)).not.toContain("Secrets");
});

test("a contender that failed has no figures, and the reason is in the report", () => {
  expect(printFigures(FIGURES)).toContain("mcp-proxy failed: It ended.");
  const report = writeGatewayReport(FIGURES, "Measured somewhere.");
  expect(report).toContain("## Failures\n\n- mcp-proxy failed: It ended.");
  expect(report).toContain("- **mcp-proxy**: what mcp-proxy is");
});
