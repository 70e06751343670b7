import type { Exclusion } from "../exclusions.ts";
import { concerns, describePair } from "./pairs.ts";
import type { PairRun } from "./run-pair.ts";

/** The verdict on a pair in one revision. */
export interface Verdict {
  readonly run: PairRun;
  readonly passed: number;
  /** How many steps the runtime could do. */
  readonly possible: number;
  readonly problems: readonly string[];
}

/** Counts the steps of a run. Those that are excluded are tried all the same: one that passes needs no excuse any more. */
export function judgeRun(run: PairRun, exclusions: readonly Exclusion[]): Verdict {
  const excused = new Set(
    exclusions
      .filter((exclusion) => concerns(exclusion, run.pair))
      .filter(({ revisions }) => revisions?.includes(run.revision) ?? true)
      .flatMap(({ steps }) => steps ?? []),
  );
  const title = `${describePair(run.pair)}, ${run.revision}`;
  const steps = Object.entries(run.outcomes);
  const possible = steps.filter(([step]) => !excused.has(step));
  const problems = [
    ...possible.flatMap(([step, outcome]) => (outcome === "passed" ? [] : [`${step}: ${outcome.failed}`])),
    ...steps
      .filter(([step, outcome]) => excused.has(step) && outcome === "passed")
      .map(([step]) => `${step}: excluded, but works`),
    ...[...excused]
      .filter((step) => run.outcomes[step] === undefined)
      .map((step) => `${step}: excluded, but there is no such step`),
  ];
  return {
    run,
    passed: possible.filter(([, outcome]) => outcome === "passed").length,
    possible: possible.length,
    problems: problems.map((problem) => `${title}: ${problem}`),
  };
}
