/** The figures of the cluster benchmark as tables. */
import { divideByRound, summarize } from "../measure/statistics.ts";
import { formatCount, formatSpread } from "../report/format.ts";
import { renderMarkdown, renderText, type Table } from "../report/table.ts";
import type { Times } from "./clients.ts";
import type { ClusterFigures } from "./figures.ts";
import type { Footprint, Subject } from "./footprints.ts";
import type { Figures, RaceFigures } from "./rates.ts";

/** What a contender may cost: the CPU that a call costs its base, as a share of what it costs the contender. */
interface Target {
  readonly text: string;
  readonly contender: string;
  readonly base: string;
  readonly least: number;
  /** Whether it is met if the target is not outside of the quartiles: nothing can be exactly as fast as itself. */
  readonly isEqual?: boolean;
}

const ENGINES = [
  ["memory", "in memory"],
  ["redis", "Redis"],
  ["postgres", "Postgres"],
] as const;

const TARGETS: readonly Target[] = [
  ...forEngines("modern", "modern calls with a bus", 0.98, "modern"),
  ...forEngines("warm", "calls of legacy sessions at a node that knows them", 0.95, "session"),
  ...forEngines("warm-events", "the same, answers as event streams", 0.95, "session-events"),
  ...forEngines("cold", "calls of legacy sessions that are looked up each time", 0.6, "session"),
  { text: "sealed session ids, compared with sessions", contender: "sealed", base: "session", least: 0.9 },
  {
    text: "sealed session ids, compared with calls without sessions",
    contender: "sealed",
    base: "stateless",
    least: 0.9,
  },
  {
    text: "no telemetry, compared with the other checkout",
    contender: "this",
    base: "before",
    least: 1,
    isEqual: true,
  },
  { text: "telemetry without an SDK", contender: "telemetry-no-sdk", base: "modern", least: 0.95 },
  {
    text: "telemetry that records one trace in a hundred",
    contender: "telemetry-sampled",
    base: "modern",
    least: 0.95,
  },
  { text: "telemetry that records all traces", contender: "telemetry-always", base: "modern", least: 0.95 },
  { text: "two workers, modern calls", contender: "workers", base: "one", least: 0.9 },
  { text: "two workers, legacy sessions", contender: "workers-session", base: "one-session", least: 0.9 },
];

function forEngines(name: string, text: string, least: number, base: string): Target[] {
  return ENGINES.map(([engine, title]) => ({ text: `${text}, ${title}`, contender: `${name}-${engine}`, base, least }));
}

/** The tables of a run, with their titles. */
function describeFigures(figures: ClusterFigures): { readonly title: string; readonly table: Table }[] {
  const { races } = figures;
  return [
    { title: "Targets", table: describeTargets(races) },
    { title: "Targets of times", table: describeTimeTargets(figures) },
    ...races.map((race) => ({ title: race.title, table: describeRace(race) })),
    { title: "Memory", table: describeFootprints(figures) },
    { title: "Between nodes", table: describeLatencies(figures) },
    { title: "Operations of engines", table: describeOperations(figures) },
  ].filter(({ table }) => table.rows.length > 0);
}

/** For the terminal. */
export function printFigures(figures: ClusterFigures): string {
  const tables = describeFigures(figures).map(({ title, table }) => `${title}\n\n${renderText(table)}`);
  return [figures.circumstances, ...tables, ...listFailures(figures)].join("\n\n");
}

/** The whole of CLUSTER.md. */
export function writeClusterReport(figures: ClusterFigures): string {
  const contenders = figures.races.flatMap((race) => race.figures);
  const parts = [
    "# Clusters and telemetry",
    `${figures.circumstances} Written by \`npm run bench:cluster\`; how it is measured is in the [README](README.md#clusters-and-telemetry). ` +
      "What it comes to for millions of sessions is on [a page of its own](../../docs/cluster-costs.md).",
    ...describeFigures(figures).flatMap(({ title, table }) => [`## ${title}`, renderMarkdown(table)]),
    "## Contenders",
    contenders.map(({ name, description }) => `- **${name}**: ${description}`).join("\n"),
  ];
  const failures = listFailures(figures);
  if (failures.length > 0) parts.push("## Failures", failures.map((failure) => `- ${failure}`).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

const SUBJECTS: Readonly<Record<Subject, string>> = {
  idle: "a node that has nothing to do",
  session: "a session that one process keeps",
  view: "what a node of a cluster knows of a session",
  stream: "an open GET stream in its node, without what the kernel takes",
  "record-memory": "a session in the engine in memory",
  "record-redis": "a session in Redis (`used_memory`)",
  "record-postgres": "a session in Postgres (tables and indexes)",
};

function describeFootprints({ footprints }: ClusterFigures): Table {
  const rows = footprints.map(({ what, count, heap, resident }: Footprint) => [
    SUBJECTS[what],
    formatCount(count),
    heap === undefined ? "" : formatCount(heap),
    formatCount(resident),
  ]);
  return { header: ["what", "of how many", "bytes of heap", "bytes in all"], rows };
}

function describeLatencies({ latencies }: ClusterFigures): Table {
  const times = ({ p50, p99 }: Times): string => `${p50.toFixed(2)}, ${p99.toFixed(1)}`;
  const rows = latencies.map(({ engine, direct, elsewhere, change, listeners }) => [
    engine,
    times(direct),
    times(elsewhere),
    `${(elsewhere.p50 - direct.p50).toFixed(2)}, ${(elsewhere.p99 - direct.p99).toFixed(1)}`,
    times(change),
    String(listeners),
  ]);
  const header = [
    "engine",
    "answer at the node that asked, p50, p99 in ms",
    "at another node",
    "added",
    "change, until all listeners know",
    "listeners",
  ];
  return { header, rows };
}

function describeOperations({ operations }: ClusterFigures): Table {
  const rows = operations.map(({ engine, operation, ms, rate, engineCpu, nodeCpu, bytes }) => [
    `${engine}: \`${operation}\``,
    ms.toFixed(2),
    formatCount(rate),
    formatCost(engineCpu),
    formatCost(nodeCpu),
    bytes === undefined ? "" : formatCount(bytes),
  ]);
  const header = [
    "operation",
    "ms, one at a time",
    "a second, 64 in flight",
    "CPU µs, engine",
    "CPU µs, node",
    "bytes",
  ];
  return { header, rows };
}

function describeTargets(races: readonly RaceFigures[]): Table {
  const rows = TARGETS.flatMap(({ text, contender, base, least, isEqual = false }) => {
    const values = shares(find(races, contender), find(races, base));
    if (values.length === 0) return [];
    const summary = summarize(values);
    const isMet = (isEqual ? summary.high : summary.median) >= least;
    const target = isEqual ? `${least}, within the spread` : `at least ${least}`;
    return [[text, target, formatSpread(summary, formatShare), isMet ? "yes" : "no"]];
  });
  return { header: ["CPU of a call without it, as a share of that with it", "is to be", "measured", "met"], rows };
}

/** Times between nodes, in milliseconds. */
function describeTimeTargets({ latencies }: ClusterFigures): Table {
  const rows = latencies.flatMap(({ engine, direct, elsewhere, change }) => {
    const targets = [
      ["an answer at another node, added, p50", 1, elsewhere.p50 - direct.p50],
      ["an answer at another node, added, p99", 10, elsewhere.p99 - direct.p99],
      ["a change, until all listeners know, p99", 10, change.p99],
    ] as const;
    return targets.map(([text, most, ms]) => [
      `${text}, ${engine}`,
      `at most ${most} ms`,
      `${ms.toFixed(2)} ms`,
      ms <= most ? "yes" : "no",
    ]);
  });
  return { header: ["time", "is to be", "measured", "met"], rows };
}

function describeRace({ base, figures }: RaceFigures): Table {
  const first = figures.find(({ name }) => name === base);
  const hasEngines = figures.some(({ engineCosts }) => engineCosts.length > 0);
  const rows = figures.map((each) => [
    each.name,
    show(each.rates, formatCount),
    show(divideByRound(each.rates, first?.rates ?? []), formatShare),
    show(each.costs, formatCost),
    show(shares(each, first), formatShare),
    ...(hasEngines ? [show(each.engineCosts, formatCost)] : []),
  ]);
  const header = ["contender", "calls/s", `× ${base}`, "CPU µs a call", `CPU of ${base}, as a share`];
  return { header: hasEngines ? [...header, "CPU µs a call, engine"] : header, rows };
}

/** The CPU of a call of the base, as a share of that of a contender in the same round. */
function shares(contender: Figures | undefined, base: Figures | undefined): number[] {
  return divideByRound(base?.costs ?? [], contender?.costs ?? []);
}

function find(races: readonly RaceFigures[], name: string): Figures | undefined {
  return races.flatMap(({ figures }) => figures).find((figures) => figures.name === name);
}

function show(values: readonly number[], format: (value: number) => string): string {
  return values.length === 0 ? "" : formatSpread(summarize(values), format);
}

/** Two decimals: a target of 0.98 is not to be rounded away. */
function formatShare(value: number): string {
  return value.toFixed(value >= 10 ? 0 : 2);
}

function formatCost(value: number): string {
  return value >= 10 ? value.toFixed(0) : value.toFixed(1);
}

function listFailures({ races, failures }: ClusterFigures): string[] {
  const absent = races.flatMap(({ figures }) =>
    figures.flatMap(({ name, failure }) => (failure === undefined ? [] : [`${name} did not take part: ${failure}`])),
  );
  return [...absent, ...failures].map((failure) => failure.replaceAll(/\s+/g, " ").slice(0, 400));
}
