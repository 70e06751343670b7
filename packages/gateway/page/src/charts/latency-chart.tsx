import type { JSX } from "preact";
import type uPlot from "uplot";
import type { SeriesView } from "../../../src/admin/views.ts";
import { formatMs } from "../format/numbers.ts";
import { formatFullTime } from "../format/times.ts";
import { fade, readColor } from "./colors.ts";
import { placesOfPoints } from "./points.ts";
import { TimeChart, type ChartKind } from "./time-chart.tsx";

const PERCENTILES = [
  { id: "p50", name: "p50", meaning: "half of the calls are faster" },
  { id: "p95", name: "p95", meaning: "95 of 100 calls are faster" },
  { id: "p99", name: "p99", meaning: "99 of 100 calls are faster" },
] as const;

/** Points at the same place lie on each other, the last one on top. Smaller ones leave the others to be seen. */
const POINT_SIZES = { p50: 12, p95: 9, p99: 5 } as const;

const KIND: ChartKind = {
  build: (series) => ({
    // An interval is drawn at its middle.
    data: [
      series.points.map(({ at }) => (at + series.step / 2) / 1000),
      ...PERCENTILES.map(({ id }) => series.points.map((point) => point[id] ?? null)),
    ],
    lines: PERCENTILES.map(({ id }): uPlot.Series => {
      const stroke = readColor(id);
      return {
        stroke,
        width: id === "p99" ? 1.5 : 2,
        // A line needs two points, and more to be seen.
        points: {
          show: false,
          size: POINT_SIZES[id],
          width: 0,
          fill: stroke,
          filter: (chart, index) => placesOfPoints(chart.data[index] ?? []),
        },
        spanGaps: false,
        ...(id === "p99" ? { dash: [5, 4] } : {}),
      };
    }),
  }),
  bands: () => [
    { series: [2, 1], fill: fade(readColor("p50"), 0.16) },
    { series: [3, 2], fill: fade(readColor("p95"), 0.1) },
  ],
  isLogarithmic: true,
  formatValue: (value) => formatMs(value),
  describe: (series, index) => {
    const point = series.points[index];
    if (point === undefined) return [];
    return PERCENTILES.map(({ id, name }) => ({ label: name, value: formatMs(point[id]), color: id })).toReversed();
  },
};

/** Percentiles of the time that calls take, over time. */
export function LatencyChart({ series }: { readonly series: SeriesView }): JSX.Element {
  const last = series.points.findLast(({ p50 }) => p50 !== undefined);
  return (
    <>
      <ul class="legend" aria-label="Percentiles">
        {PERCENTILES.map(({ id, name, meaning }) => (
          <li key={id} title={meaning}>
            <i class={`swatch swatch-line swatch-${id}`} />
            {name} <span class="visually-hidden">({meaning})</span>
          </li>
        ))}
      </ul>
      <TimeChart
        kind={KIND}
        series={series}
        summary={`Latency over time. In the last interval with calls, half of them took less than ${formatMs(last?.p50)}, 95 of 100 less than ${formatMs(last?.p95)}, and 99 of 100 less than ${formatMs(last?.p99)}.`}
        table={<LatencyTable series={series} />}
      />
    </>
  );
}

function LatencyTable({ series }: { readonly series: SeriesView }): JSX.Element {
  return (
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">From</th>
          {PERCENTILES.map(({ id, name }) => (
            <th scope="col" key={id}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {series.points.map((point) => (
          <tr key={point.at}>
            <th scope="row">{formatFullTime(point.at)}</th>
            {PERCENTILES.map(({ id }) => (
              <td key={id}>{formatMs(point[id])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
