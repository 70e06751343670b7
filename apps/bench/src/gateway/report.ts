/** The figures of the gateway benchmark as tables. */
import { divideByRound, summarize, type Summary } from "../measure/statistics.ts";
import { formatCount, formatRatio, formatSpread } from "../report/format.ts";
import { renderMarkdown, renderText, type Table } from "../report/table.ts";
import { type Backend, nameBefore } from "./contenders.ts";
import type { Figures } from "./measure.ts";
import type { SecretCost } from "./secrets.ts";
import type { Size } from "./workload.ts";

/** A target: what is compared, and the least or the most that it may be. */
interface Target {
  readonly text: string;
  readonly least?: number;
  readonly most?: number;
  readonly measure: (figures: readonly Figures[]) => readonly number[];
}

/** The contender with which the others of a race are compared. */
const MEASURES: Readonly<Record<Backend, string>> = { api: "forwarder", mcp: "mcp-direct" };
/** The contender to whose latency the others add theirs. */
const BASES: Readonly<Record<Backend, string>> = { api: "direct", mcp: "mcp-direct" };

const TARGETS: readonly Target[] = [
  {
    text: "100 B, 64 in flight, log in PGlite, as a multiple of the forwarder",
    least: 0.55,
    measure: (all) => ratios(all, "toolwire", "forwarder", "small"),
  },
  {
    text: "10 KB, 64 in flight, log in PGlite, as a multiple of the forwarder",
    least: 0.8,
    measure: (all) => ratios(all, "toolwire", "forwarder", "large"),
  },
  {
    text: "CPU of the forwarder for a call of 100 B, as a share of ours, log in PGlite",
    least: 0.55,
    measure: (all) =>
      divideByRound(find(all, "forwarder")?.costs.small ?? [], find(all, "toolwire")?.costs.small ?? []),
  },
  {
    text: "calls a second, 100 B, log in PGlite",
    least: 8000,
    measure: (all) => find(all, "toolwire")?.rates.small ?? [],
  },
  { text: "added latency, p50, in ms, log in PGlite", most: 0.25, measure: (all) => added(all, "toolwire", "p50") },
  { text: "added latency, p99, in ms, log in PGlite", most: 1, measure: (all) => added(all, "toolwire", "p99") },
  {
    text: "log in PGlite, as a multiple of log in memory",
    least: 0.9,
    measure: (all) => ratios(all, "toolwire", "toolwire-memory", "small"),
  },
  {
    text: "1 000 tools, as a multiple of 10",
    least: 0.97,
    measure: (all) => ratios(all, "toolwire-1000", "toolwire-memory", "small"),
  },
  {
    text: "in front of an MCP server over stdio, as a multiple of mcp-proxy",
    least: 1,
    measure: (all) => ratios(all, "toolwire-stdio", "mcp-proxy", "small"),
  },
];

/** The tables of a run, with their titles. */
export function describeFigures(
  all: readonly Figures[],
  secrets: readonly SecretCost[] = [],
): { title: string; table: Table }[] {
  return [
    { title: "Targets", table: describeTargets(all) },
    { title: "This build, as a multiple of the other", table: describeComparison(all) },
    { title: "In front of an HTTP API", table: describeRace(all, "api") },
    { title: "In front of an MCP server", table: describeRace(all, "mcp") },
    { title: "Secrets", table: describeSecrets(secrets) },
  ].filter(({ table }) => table.rows.length > 0);
}

/** For the terminal. */
export function printFigures(all: readonly Figures[], secrets?: readonly SecretCost[]): string {
  return describeFigures(all, secrets)
    .map(({ title, table }) => `${title}\n\n${renderText(table)}`)
    .concat(listFailures(all))
    .join("\n\n");
}

/** The whole of GATEWAYS.md. */
export function writeGatewayReport(
  all: readonly Figures[],
  circumstances: string,
  secrets?: readonly SecretCost[],
): string {
  const parts = [
    "# Gateways",
    `${circumstances} Written by \`npm run bench:gateway\`; how it is measured is in the [README](README.md#gateways).`,
    ...describeFigures(all, secrets).flatMap(({ title, table }) => [`## ${title}`, renderMarkdown(table)]),
  ];
  parts.push("## Contenders", all.map(({ name, description }) => `- **${name}**: ${description}`).join("\n"));
  const failures = listFailures(all);
  if (failures.length > 0) parts.push("## Failures", failures.map((failure) => `- ${failure}`).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

/** What secrets cost the thread that serves calls. */
function describeSecrets(costs: readonly SecretCost[]): Table {
  const rows = costs.map(({ what, times }) => [what, show(times, formatMilliseconds)]);
  return { header: ["work", "ms"], rows };
}

function formatMilliseconds(value: number): string {
  return value.toPrecision(2);
}

function describeTargets(all: readonly Figures[]): Table {
  const rows = TARGETS.flatMap(({ text, least, most, measure }) => {
    const values = measure(all);
    if (values.length === 0) return [];
    const summary = summarize(values);
    const isMet = least === undefined ? summary.median <= (most ?? Infinity) : summary.median >= least;
    const target = least === undefined ? `at most ${most}` : `at least ${least}`;
    const format = summary.median >= 100 ? formatCount : formatRatio;
    return [[text, target, formatSpread(summary, format), isMet ? "yes" : "no"]];
  });
  return { header: ["target", "is to be", "measured", "met"], rows };
}

/** Our gateways next to those of another checkout. More calls and less CPU are better. */
function describeComparison(all: readonly Figures[]): Table {
  const rows = all.flatMap((now) => {
    const before = find(all, nameBefore(now.name) ?? "");
    if (before === undefined) return [];
    const p50 = ({ latencies }: Figures): number[] => latencies.map((latency) => latency.p50);
    const pairs = [
      [now.rates.small, before.rates.small],
      [now.rates.large, before.rates.large],
      [now.costs.small, before.costs.small],
      [now.costs.large, before.costs.large],
      [p50(now), p50(before)],
    ] as const;
    return [[now.name, ...pairs.map(([ours, theirs]) => show(divideByRound(ours, theirs), formatRatio))]];
  });
  return { header: ["contender", "calls/s, 100 B", "calls/s, 10 KB", "CPU, 100 B", "CPU, 10 KB", "p50"], rows };
}

function describeRace(all: readonly Figures[], backend: Backend): Table {
  const measure = MEASURES[backend];
  const rows = all
    .filter((figures) => figures.backend === backend)
    .map(({ name, rates, costs, latencies }) => [
      name,
      ...(["small", "large"] as const).flatMap((size) => [
        show(rates[size], formatCount),
        show(ratios(all, name, measure, size), formatRatio),
      ]),
      show(costs.small, formatCount),
      show(costs.large, formatCount),
      show(
        latencies.map(({ p50 }) => p50),
        formatRatio,
      ),
      ...(["p50", "p99"] as const).map((which) => show(added(all, name, which), formatAdded)),
    ]);
  const header = [
    "contender",
    "calls/s, 100 B",
    `× ${measure}`,
    "calls/s, 10 KB",
    `× ${measure}`,
    "CPU µs, 100 B",
    "CPU µs, 10 KB",
    "p50, ms",
    "added p50, ms",
    "added p99, ms",
  ];
  return { header, rows };
}

function show(values: readonly number[], format: (value: number) => string): string {
  return values.length === 0 ? "" : formatSpread(summarize(values) as Summary, format);
}

function formatAdded(value: number): string {
  return value.toFixed(2);
}

function find(all: readonly Figures[], name: string): Figures | undefined {
  return all.find((figures) => figures.name === name);
}

function ratios(all: readonly Figures[], name: string, by: string, size: Size): number[] {
  return divideByRound(find(all, name)?.rates[size] ?? [], find(all, by)?.rates[size] ?? []);
}

function added(all: readonly Figures[], name: string, which: "p50" | "p99"): number[] {
  const own = find(all, name);
  const base = own && find(all, BASES[own.backend]);
  if (own === undefined || base === undefined || own === base) return [];
  return own.latencies.flatMap((latency, round) => {
    const without = base.latencies[round];
    return without === undefined ? [] : [latency[which] - without[which]];
  });
}

function listFailures(all: readonly Figures[]): string[] {
  return all.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [`${name} failed: ${failure.replaceAll(/\s+/g, " ").slice(0, 400)}`],
  );
}
