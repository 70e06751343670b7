/** The size of a sparkline in the units of its path. */
export const SPARKLINE = { width: 120, height: 28 } as const;

/** The paths of a sparkline. */
export interface SparklinePaths {
  readonly line: string;
  /** The area below the line. Absent for points. */
  readonly area: string | undefined;
}

/** So few values are drawn as points. */
const FEW = 3;

/** Draws figures over time; `undefined` if there are none. A few become points: a line of them could not be seen. */
export function drawSparkline(values: readonly (number | undefined)[]): SparklinePaths | undefined {
  const { width, height } = SPARKLINE;
  const max = Math.max(...values.map((value) => value ?? 0), Number.MIN_VALUE);
  const points = values.flatMap((value, index) => {
    if (value === undefined) return [];
    const x = values.length === 1 ? width : (index / (values.length - 1)) * width;
    return [[x, height - 2 - (value / max) * (height - 4)] as const];
  });
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (points.length <= FEW) {
    // A line without length has round ends, so it is a point. At the edges, it needs room.
    const dots = points.map(([x, y]) => `M${Math.min(width - 3, Math.max(3, x)).toFixed(1)} ${(y + 2).toFixed(1)}h0`);
    return { line: dots.join(""), area: undefined };
  }
  const line = points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  return { line, area: `${line}L${last[0].toFixed(1)} ${height}L${first[0].toFixed(1)} ${height}Z` };
}
