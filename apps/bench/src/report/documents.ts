/** The report as files: all of it beside the benchmark, the targets in the README of the project. */
import type { Results } from "../measure/results.ts";
import { listFailures } from "./race-table.ts";
import { describeResults, summarizeTargets } from "./sections.ts";
import { renderMarkdown } from "./table.ts";

const BEGIN = "<!-- bench:begin -->";
const END = "<!-- bench:end -->";

/** The whole of RESULTS.md. */
export function writeReport(results: Results): string {
  const { versions } = results;
  const parts = [
    "# Results",
    `${describeCircumstances(results)} Written by \`npm run bench\`; how it is measured is in the [README](README.md).`,
    renderMarkdown({ header: ["contender", "versions"], rows: Object.entries(versions) }),
    ...describeResults(results, true).flatMap(({ title, text, table, plot }) => [
      `## ${title}`,
      text,
      ...(plot === undefined ? [] : [`![${title}](results/${plot})`]),
      renderMarkdown(table),
    ]),
  ];
  const failures = listFailures([...results.servers, ...results.clients]);
  if (failures.length > 0) parts.push("## Failures", failures.map((failure) => `- ${oneLine(failure)}`).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

/** Puts the short table between the markers of a README; leaves a text without markers alone. */
export function embedSummary(readme: string, results: Results): string {
  const start = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (start === -1 || end === -1) return readme;
  const summary = [
    BEGIN,
    renderMarkdown(summarizeTargets(results)),
    `${describeCircumstances(results)} \`raw\` is bare \`node:http\`, \`ws\` or pipes with \`JSON.parse\` and ` +
      "`JSON.stringify`; for clients, a bare client. [All figures](apps/bench/RESULTS.md).",
  ].join("\n\n");
  return `${readme.slice(0, start)}${summary}\n\n${readme.slice(end)}`;
}

/** When, where and how it was measured, in a sentence or two. */
export function describeCircumstances({ date, machine, effort }: Results): string {
  const { cpu, cores, node, system, isPinned } = machine;
  const pinning = isPinned
    ? "server and load pinned to a core each"
    : "server and load not pinned, so that they compete for cores";
  return (
    `Measured on ${date}: ${cpu}, ${cores} cores, ${system}, Node ${node}; ${pinning}; contenders interleaved, ratios ` +
    `within a round, median (and quartiles) of ${effort.rounds} rounds.`
  );
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 300);
}
