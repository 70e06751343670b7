import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import type { SeriesView } from "../../../src/admin/views.ts";
import type { Outcome } from "../../../src/log/call-record.ts";
import { formatCompact, formatCount, formatShare } from "../format/numbers.ts";
import { OUTCOME_NAMES, OUTCOME_ORDER } from "../format/outcomes.ts";
import { formatFullTime } from "../format/times.ts";
import { readColor } from "./colors.ts";
import { stackOutcomes, sumOutcomes } from "./points.ts";
import { TimeChart, type ChartKind } from "./time-chart.tsx";

const KIND: ChartKind = {
  build: (series) => {
    const paths = uPlot.paths.bars?.({ size: [0.82, 48], align: 1 });
    const lines = OUTCOME_ORDER.map((outcome): uPlot.Series => {
      const fill = readColor(`outcome-${outcome}`);
      return { fill, width: 0, points: { show: false }, ...(paths === undefined ? {} : { paths }) };
    });
    return {
      // The sum of all comes first, so that the others are drawn over it.
      data: [
        series.points.map(({ at }) => at / 1000),
        ...stackOutcomes(series)
          .map((ends) => [...ends])
          .toReversed(),
      ],
      lines: lines.toReversed(),
    };
  },
  // A bar begins where the one below it ends.
  bands: () => OUTCOME_ORDER.slice(1).map((_, index) => ({ series: [index + 1, index + 2] })),
  formatValue: (value) => (Number.isInteger(value) ? formatCompact(value) : ""),
  describe: (series, index) => {
    const point = series.points[index];
    if (point === undefined) return [];
    const rows = OUTCOME_ORDER.flatMap((outcome) => {
      const count = point.byOutcome[outcome] ?? 0;
      return count === 0
        ? []
        : [{ label: OUTCOME_NAMES[outcome].name, value: formatCount(count), color: `outcome-${outcome}` }];
    });
    return [{ label: "Calls", value: formatCount(point.calls) }, ...rows.toReversed()];
  },
};

/** Calls over time, stacked by outcome. */
export function CallsChart({ series }: { readonly series: SeriesView }): JSX.Element {
  const totals = useMemo(() => sumOutcomes(series), [series]);
  const calls = totals.reduce((sum, [, count]) => sum + count, 0);
  const failures = calls - (totals.find(([outcome]) => outcome === "ok")?.[1] ?? 0);
  return (
    <>
      <ul class="legend" aria-label="Outcomes">
        {totals.map(([outcome, count]) => (
          <li key={outcome}>
            <i class={`swatch swatch-outcome-${outcome}`} />
            {OUTCOME_NAMES[outcome].name} <b>{formatCount(count)}</b>
          </li>
        ))}
      </ul>
      <TimeChart
        kind={KIND}
        series={series}
        summary={`Calls over time, stacked by outcome: ${formatCount(calls)} calls, of which ${formatCount(failures)} failed (${formatShare(calls === 0 ? 0 : failures / calls)}).`}
        table={<CallsTable series={series} outcomes={totals.map(([outcome]) => outcome)} />}
      />
    </>
  );
}

function CallsTable(props: { readonly series: SeriesView; readonly outcomes: readonly Outcome[] }): JSX.Element {
  return (
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">From</th>
          <th scope="col">Calls</th>
          {props.outcomes.map((outcome) => (
            <th scope="col" key={outcome}>
              {OUTCOME_NAMES[outcome].name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.series.points.map((point) => (
          <tr key={point.at}>
            <th scope="row">{formatFullTime(point.at)}</th>
            <td>{formatCount(point.calls)}</td>
            {props.outcomes.map((outcome) => (
              <td key={outcome}>{formatCount(point.byOutcome[outcome] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
