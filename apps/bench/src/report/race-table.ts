/** Tables of races: everyone as a multiple of the baseline. */
import type { Race } from "../measure/results.ts";
import { summarize } from "../measure/statistics.ts";
import { compare, judge } from "../measure/verdict.ts";
import { BEFORE } from "../processes/programs.ts";
import { formatCount, formatRatio, formatSpread, formatVerdict } from "./format.ts";
import type { Table } from "./table.ts";

/** How much to put into a cell. */
export interface RaceTableOptions {
  /** The titles of the first column and of the baseline. */
  readonly label: string;
  readonly baseline: string;
  readonly names: readonly string[];
  /** Whether to show quartiles; without them, a table fits a terminal. */
  readonly hasSpread: boolean;
}

/** One row per race. */
export function tabulateRaces(races: readonly Race[], { label, baseline, names, hasSpread }: RaceTableOptions): Table {
  const others = names.filter((name) => name !== "raw");
  const isCompared = races.some(({ outcomes }) => outcomes.some(({ name }) => name === BEFORE));
  const compared = isCompared ? ["x before"] : [];
  return {
    header: [label, ...others, ...compared, "x v2", `${baseline}, calls/s`, "target, x raw", "and x v2", "met"],
    rows: races.map((race) => [
      race.title,
      ...others.map((name) => describeOutcome(race, name, hasSpread)),
      ...compared.map(() => describeBefore(race)),
      describeV2(race),
      describeBaseline(race),
      race.target === undefined ? "" : formatRatio(race.target.baseline),
      race.target?.v2 === undefined ? "" : formatRatio(race.target.v2),
      formatVerdict(judge(race)),
    ]),
  };
}

function describeOutcome(race: Race, name: string, hasSpread: boolean): string {
  const outcome = race.outcomes.find((each) => each.name === name);
  if (outcome === undefined) return "";
  if ("absence" in outcome) return outcome.absence.startsWith("failed") ? "failed" : outcome.absence;
  const ratio = compare(race, name, "raw");
  const figure = ratio === undefined ? formatCount(summarize(outcome.rates).median) : formatRatioCell(ratio, hasSpread);
  return outcome.note === undefined ? figure : `${figure} [${outcome.note}]`;
}

function formatRatioCell(ratio: { median: number; low: number; high: number }, hasSpread: boolean): string {
  return hasSpread ? formatSpread(ratio) : formatRatio(ratio.median);
}

function describeV2(race: Race): string {
  const ratio = compare(race, "toolwire", "v2");
  return ratio === undefined ? "" : formatRatio(ratio.median);
}

/** With quartiles, also in a terminal: a comparison of two builds without its spread says nothing. */
function describeBefore(race: Race): string {
  const ratio = compare(race, "toolwire", BEFORE);
  return ratio === undefined ? "" : formatSpread(ratio);
}

function describeBaseline({ outcomes }: Race): string {
  const outcome = outcomes.find(({ name }) => name === "raw");
  return outcome !== undefined && "rates" in outcome ? formatCount(summarize(outcome.rates).median) : "";
}

/** Why entrants failed, for those that did. */
export function listFailures(races: readonly Race[]): string[] {
  return races.flatMap(({ id, outcomes }) =>
    outcomes.flatMap((outcome) =>
      "absence" in outcome && outcome.absence.startsWith("failed") ? [`${id}: ${outcome.name} ${outcome.absence}`] : [],
    ),
  );
}
