/** Statistics over the figures of several rounds. */

/** The middle, and the quartiles around it. */
export interface Summary {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Summarises at least one figure. */
export function summarize(values: readonly number[]): Summary {
  if (values.length === 0) throw new Error("There are no figures to summarise.");
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** The value below which a share of the sorted values lies, interpolated between neighbours. */
export function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** Figures of one entrant as multiples of another's of the same round. */
export function divideByRound(values: readonly number[], by: readonly number[]): number[] {
  return values.flatMap((value, round) => {
    const divisor = by[round];
    return divisor === undefined || divisor === 0 ? [] : [value / divisor];
  });
}
