import type { JSX } from "preact";

const WIDTH = 120;
const HEIGHT = 28;

/** A small line without axes: whether a figure rises or falls. The figure itself is beside it. */
export function Sparkline({ values }: { readonly values: readonly (number | undefined)[] }): JSX.Element | null {
  const known = values.filter((value) => value !== undefined);
  if (known.length < 2) return null;
  const max = Math.max(...known, Number.MIN_VALUE);
  const points = values.flatMap((value, index) =>
    value === undefined
      ? []
      : [[(index / (values.length - 1)) * WIDTH, HEIGHT - 2 - (value / max) * (HEIGHT - 4)] as const],
  );
  const line = points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const first = points[0]?.[0] ?? 0;
  const last = points.at(-1)?.[0] ?? WIDTH;
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="sparkline-area" d={`${line}L${last.toFixed(1)} ${HEIGHT}L${first.toFixed(1)} ${HEIGHT}Z`} />
      <path class="sparkline-line" d={line} vector-effect="non-scaling-stroke" />
    </svg>
  );
}
