/** Whether a race was won as promised. */
import type { Race } from "./results.ts";
import { divideByRound, type Summary, summarize } from "./statistics.ts";

/** Calls per second of one as a multiple of another's, taken within rounds; `undefined` if either was not there. */
export function compare({ outcomes }: Race, name: string, by: string): Summary | undefined {
  const ratios = divideByRound(ratesOf(outcomes, name), ratesOf(outcomes, by));
  return ratios.length === 0 ? undefined : summarize(ratios);
}

function ratesOf(outcomes: Race["outcomes"], name: string): readonly number[] {
  const outcome = outcomes.find((each) => each.name === name);
  return outcome !== undefined && "rates" in outcome ? outcome.rates : [];
}

/** How a promise was kept: by how much of it the worst figure is off, 0 if none is. */
export interface Verdict {
  readonly isMet: boolean;
  /** A share: 0.04 is four per cent short. */
  readonly shortfall: number;
}

/** Compares a race with its target; `undefined` if there is none, or nothing to compare. */
export function judge(race: Race): Verdict | undefined {
  const { target } = race;
  const baseline = compare(race, "toolwire", "raw");
  if (target === undefined || baseline === undefined) return undefined;
  const shares = [baseline.median / target.baseline];
  const v2 = compare(race, "toolwire", "v2");
  if (target.v2 !== undefined && v2 !== undefined) shares.push(v2.median / target.v2);
  const shortfall = Math.max(0, 1 - Math.min(...shares));
  return { isMet: shortfall === 0, shortfall };
}
