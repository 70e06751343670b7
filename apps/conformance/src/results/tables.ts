import { markdownTable } from "@toolwire/evidence";
import type { Exclusion } from "../exclusions.ts";
import type { ScenarioVerdict, Verdict } from "./judge.ts";

/** Everything the tables are made from. */
export interface Outcome {
  /** One for each requirement set and side. */
  readonly verdicts: readonly Verdict[];
  /** The same for client scenarios that were run one by one. */
  readonly alone: readonly Verdict[];
  readonly versions: string;
  readonly date: string;
}

/** The table for the front page: how many scenarios pass. */
export function summarize({ verdicts, alone, versions, date }: Outcome): string {
  const rows = verdicts.map(({ set, scenarios }) => {
    const single = alone.find((verdict) => verdict.set === set);
    return [
      set.revision,
      set.side,
      count(scenarios.filter(({ isScored }) => isScored)),
      count(scenarios.filter(({ isScored }) => !isScored)),
      single === undefined ? "" : count(single.scenarios),
      String(scenarios.reduce((sum, { successes }) => sum + successes, 0)),
      leftOut(scenarios),
    ];
  });
  const head = [
    "requirements of",
    "side",
    "scored scenarios",
    "other scenarios",
    "one by one",
    "checks passed",
    "left out",
  ];
  return `${markdownTable(head, rows)}\n\nRun on ${date} with ${versions}.`;
}

/** Lists the exclusions with their reasons. */
export function explainExclusions(exclusions: readonly Exclusion[]): string {
  return exclusions
    .map(({ side, scenario, checks, reason }) => {
      const what = checks === undefined ? "" : `, the checks ${checks.map((check) => `\`${check}\``).join(" and ")}`;
      return `- ${side} scenarios \`${scenario.source.replaceAll("\\", "")}\`${what}: ${reason}`;
    })
    .join("\n");
}

/** Every scenario with the number of its checks that passed. */
export function listScenarios(verdicts: readonly Verdict[]): string {
  const sides = [...new Set(verdicts.map(({ set }) => set.side))];
  return sides
    .map((side) => {
      const columns = verdicts.filter(({ set }) => set.side === side);
      const names = [...new Set(columns.flatMap(({ scenarios }) => scenarios.map(({ scenario }) => scenario)))];
      const rows = names.map((name) => [
        name,
        ...columns.map(({ scenarios }) => describe(scenarios.find(({ scenario }) => scenario === name))),
      ]);
      return `## The ${side}\n\n${markdownTable(["scenario", ...columns.map(({ set }) => set.revision)], rows)}`;
    })
    .join("\n\n");
}

function count(scenarios: readonly ScenarioVerdict[]): string {
  const asked = scenarios.filter(({ outcome }) => outcome !== "excluded");
  if (scenarios.length === 0) return "";
  return `${asked.filter(({ outcome }) => outcome === "passed").length} of ${asked.length}`;
}

function leftOut(scenarios: readonly ScenarioVerdict[]): string {
  const excluded = scenarios.filter(({ outcome }) => outcome === "excluded");
  return excluded.length === 0
    ? ""
    : `${excluded.length} (${excluded.filter(({ isScored }) => isScored).length} scored)`;
}

function describe(verdict: ScenarioVerdict | undefined): string {
  if (verdict === undefined) return "";
  if (verdict.outcome === "excluded") return "left out";
  return verdict.outcome === "passed" ? `${verdict.successes} passed` : `FAILED: ${verdict.problems.length}`;
}
