import type { JSX } from "preact";
import { drawSparkline, SPARKLINE } from "./sparkline-path.ts";

/** A small line without axes: whether a figure rises or falls. The figure itself is beside it. */
export function Sparkline({ values }: { readonly values: readonly (number | undefined)[] }): JSX.Element | null {
  const paths = drawSparkline(values);
  if (paths === undefined) return null;
  const { line, area } = paths;
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${SPARKLINE.width} ${SPARKLINE.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {area === undefined ? null : <path class="sparkline-area" d={area} />}
      <path
        class={area === undefined ? "sparkline-point" : "sparkline-line"}
        d={line}
        vector-effect="non-scaling-stroke"
      />
    </svg>
  );
}
