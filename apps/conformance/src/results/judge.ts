import type { Exclusion } from "../exclusions.ts";
import { scenariosOf, type RequirementSet } from "../suite/requirements.ts";
import type { Check, ScenarioResult } from "./read-results.ts";

/** How one scenario went. */
export interface ScenarioVerdict {
  readonly scenario: string;
  readonly isScored: boolean;
  readonly outcome: "passed" | "failed" | "excluded";
  /** How many checks succeeded. */
  readonly successes: number;
  readonly problems: readonly string[];
}

/** How a run of the suite went. */
export interface Verdict {
  readonly set: RequirementSet;
  readonly scenarios: readonly ScenarioVerdict[];
  /** The exclusions that were needed. */
  readonly used: ReadonlySet<Exclusion>;
}

/**
 * Reads results more strictly than the suite's own summary does: a warning, a skip, a scenario that is missing or in which
 * nothing succeeded is a problem like any failure.
 */
export function judgeResults(
  set: RequirementSet,
  results: readonly ScenarioResult[],
  exclusions: readonly Exclusion[],
): Verdict {
  const used = new Set<Exclusion>();
  const byName = new Map(results.map((result) => [result.scenario, result.checks]));
  const scenarios = scenariosOf(set).map((scenario): ScenarioVerdict => {
    const relevant = exclusions.filter((exclusion) => exclusion.side === set.side && exclusion.scenario.test(scenario));
    const isScored = set.scored.includes(scenario);
    const whole = relevant.find(({ checks }) => checks === undefined);
    if (whole !== undefined) {
      used.add(whole);
      return { scenario, isScored, outcome: "excluded", successes: 0, problems: [] };
    }
    const { counted, excluded } = sortChecks(byName.get(scenario) ?? [], relevant);
    for (const exclusion of excluded) used.add(exclusion);
    const problems = findProblems(counted);
    return {
      scenario,
      isScored,
      outcome: problems.length === 0 ? "passed" : "failed",
      successes: counted.filter(({ status }) => status === "SUCCESS").length,
      problems,
    };
  });
  return { set, scenarios, used };
}

/** Only a skip can be excluded: a check that fails counts whatever the list says. */
function sortChecks(
  checks: readonly Check[],
  exclusions: readonly Exclusion[],
): { counted: Check[]; excluded: Exclusion[] } {
  const counted: Check[] = [];
  const excluded: Exclusion[] = [];
  for (const check of checks) {
    const exclusion = exclusions.find((candidate) => candidate.checks?.includes(check.name) === true);
    if (exclusion !== undefined && check.status === "SKIPPED") excluded.push(exclusion);
    else counted.push(check);
  }
  return { counted, excluded };
}

function findProblems(checks: readonly Check[]): string[] {
  if (checks.length === 0) return ["was not run"];
  const bad = checks
    .filter(({ status }) => status !== "SUCCESS" && status !== "INFO")
    .map(({ status, id, errorMessage }) => `${status} ${id}${errorMessage === undefined ? "" : `: ${errorMessage}`}`);
  const hasProof = checks.some(({ status }) => status === "SUCCESS");
  return hasProof ? bad : [...bad, "proved nothing: no check succeeded"];
}
