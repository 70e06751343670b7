import type { SeriesView } from "../../../src/admin/views.ts";
import type { Outcome } from "../../../src/log/call-record.ts";
import { OUTCOME_ORDER } from "../format/outcomes.ts";

/** So many values side by side are too short to be seen as a line. */
const SHORT = 3;

/** Places of values in runs that are too short for a line: a single one is no line at all. They are drawn as points. */
export function placesOfPoints(values: ArrayLike<number | null | undefined>): number[] {
  const found: number[] = [];
  let run: number[] = [];
  for (let index = 0; index <= values.length; index += 1) {
    if (typeof values[index] === "number") {
      run.push(index);
      continue;
    }
    if (run.length <= SHORT) found.push(...run);
    run = [];
  }
  return found;
}

/** For each outcome, the calls of every interval up to that one: where its bars end when they are stacked. */
export function stackOutcomes({ points }: SeriesView): readonly (readonly number[])[] {
  return OUTCOME_ORDER.map((_, top) =>
    points.map(({ byOutcome }) =>
      OUTCOME_ORDER.slice(0, top + 1).reduce((sum, outcome) => sum + (byOutcome[outcome] ?? 0), 0),
    ),
  );
}

/** Outcomes that occurred with their calls, in the order of the stack. */
export function sumOutcomes({ points }: SeriesView): readonly (readonly [Outcome, number])[] {
  return OUTCOME_ORDER.map((outcome): readonly [Outcome, number] => [
    outcome,
    points.reduce((sum, { byOutcome }) => sum + (byOutcome[outcome] ?? 0), 0),
  ]).filter(([, count]) => count > 0);
}

/** Whether there is anything to draw. */
export function hasCalls({ points }: SeriesView): boolean {
  return points.some(({ calls }) => calls > 0);
}

/** The interval at which the arrow keys arrive. Without one, they begin at an end. */
export function stepTo(from: number | undefined, step: number, count: number): number {
  const start = from ?? (step > 0 ? -1 : count);
  return Math.min(count - 1, Math.max(0, start + step));
}

/** Whole intervals around a part of the time axis, as it was dragged. */
export function wholeIntervals(
  start: number,
  end: number,
  step: number,
): { readonly from: number; readonly to: number } {
  return { from: Math.floor(start / step) * step, to: Math.ceil(end / step) * step };
}
