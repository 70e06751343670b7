import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import type { SeriesView } from "../../../src/admin/views.ts";
import { formatFullTime, formatTime } from "../format/times.ts";
import { setQuery } from "../location/location.ts";
import { useThemeTurn } from "../theme.ts";
import { formatAxisTimes } from "./axis-times.ts";
import { readColor } from "./colors.ts";
import { stepTo, wholeIntervals } from "./points.ts";
import { keepRoundValues, roundRange } from "./scale.ts";

/** Draws one kind of series. */
export interface ChartKind {
  /** Data with times in seconds first, and what is drawn of it. Called again when the look changes. */
  readonly build: (series: SeriesView) => { readonly data: uPlot.AlignedData; readonly lines: readonly uPlot.Series[] };
  readonly formatValue: (value: number) => string;
  /** Values that differ by orders of magnitude are drawn on a scale of their logarithms. */
  readonly isLogarithmic?: boolean;
  /** Fills between lines, by their places in `lines`, from 1. */
  readonly bands?: () => readonly uPlot.Band[];
  /** The figures of one interval, as rows of the box beside the pointer. */
  readonly describe: (series: SeriesView, index: number) => readonly Row[];
}

/** One figure of an interval. */
interface Row {
  readonly label: string;
  readonly value: string;
  /** The name of its colour in the style sheet. */
  readonly color?: string;
}

const HEIGHT = 236;

/**
 * A chart over time. Dragging across it chooses a time span; the arrow keys move from interval to interval; a table with the
 * same figures is below it.
 */
export function TimeChart(props: {
  readonly kind: ChartKind;
  readonly series: SeriesView;
  /** A sentence for people who cannot see the chart. */
  readonly summary: string;
  readonly table: ComponentChildren;
}): JSX.Element {
  const { kind, series, summary, table } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(series);
  latest.current = series;
  const themeTurn = useThemeTurn();
  const [pointed, setPointed] = useState<{ readonly index: number; readonly left: number } | undefined>();

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const { data, lines } = kind.build(latest.current);
    const chart = new uPlot(
      makeOptions(
        element.clientWidth,
        lines,
        kind,
        () => latest.current,
        (index, left) => setPointed(index === undefined ? undefined : { index, left }),
      ),
      data,
      element,
    );
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = undefined;
    };
  }, [kind, themeTurn]);

  useEffect(() => {
    plot.current?.setData(kind.build(series).data);
  }, [kind, series]);

  const move = (event: KeyboardEvent): void => {
    const steps: { readonly [key: string]: number } = { ArrowLeft: -1, ArrowRight: 1, PageUp: -8, PageDown: 8 };
    const step = steps[event.key];
    const chart = plot.current;
    if (step === undefined || chart === undefined) return;
    event.preventDefault();
    const index = stepTo(pointed?.index, step, series.points.length);
    const at = series.points[index]?.at ?? series.from;
    chart.setCursor({ left: chart.valToPos((at + series.step / 2) / 1000, "x"), top: 40 });
  };
  const leave = (): void => {
    plot.current?.setCursor({ left: -10, top: -10 });
    setPointed(undefined);
  };

  return (
    <figure class="chart">
      <div
        ref={place}
        class="chart-plot"
        role="img"
        tabIndex={0}
        aria-label={`${summary} The arrow keys go through the intervals.`}
        onKeyDown={move}
        onBlur={leave}
      >
        {pointed === undefined ? null : (
          <ChartBox
            kind={kind}
            series={series}
            index={pointed.index}
            left={pointed.left}
            width={place.current?.clientWidth ?? 0}
          />
        )}
      </div>
      <p class="visually-hidden" aria-live="polite">
        {pointed === undefined ? "" : describeInterval(kind, series, pointed.index)}
      </p>
      <details class="chart-table">
        <summary>Show as a table</summary>
        <div class="table-scroll" tabIndex={0} role="region" aria-label="The figures of the chart">
          {table}
        </div>
      </details>
    </figure>
  );
}

function ChartBox(props: {
  readonly kind: ChartKind;
  readonly series: SeriesView;
  readonly index: number;
  readonly left: number;
  readonly width: number;
}): JSX.Element | null {
  const { kind, series, index, left, width } = props;
  const point = series.points[index];
  if (point === undefined) return null;
  const isRight = left > width / 2;
  const style = isRight ? { right: `${width - left + 12}px` } : { left: `${left + 12}px` };
  return (
    <div class="chart-box" style={style} aria-hidden="true">
      <strong>
        {formatTime(point.at)} – {formatTime(point.at + series.step)}
      </strong>
      {kind.describe(series, index).map((row) => (
        <div class="chart-box-row" key={row.label}>
          <span>
            {row.color === undefined ? null : <i class={`swatch swatch-${row.color}`} />}
            {row.label}
          </span>
          <b>{row.value}</b>
        </div>
      ))}
    </div>
  );
}

function describeInterval(kind: ChartKind, series: SeriesView, index: number): string {
  const at = series.points[index]?.at;
  if (at === undefined) return "";
  const figures = kind.describe(series, index).map(({ label, value }) => `${label} ${value}`);
  return `${formatFullTime(at)}: ${figures.join(", ")}`;
}

function makeOptions(
  width: number,
  lines: readonly uPlot.Series[],
  kind: ChartKind,
  current: () => SeriesView,
  onPoint: (index: number | undefined, left: number) => void,
): uPlot.Options {
  const ink = readColor("muted");
  const grid = readColor("line");
  const font = '12px Inter, ui-sans-serif, system-ui, "Segoe UI", Roboto, sans-serif';
  return {
    width,
    height: HEIGHT,
    // The last time on the axis needs room on the right.
    padding: [10, 18, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: true, range: () => [current().from / 1000, current().to / 1000] },
      y: kind.isLogarithmic === true ? LOGARITHMIC : { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        stroke: ink,
        font,
        grid: { show: false },
        ticks: { stroke: grid, size: 4 },
        size: 32,
        gap: 5,
        values: (_, values, __, ___, gap) => formatAxisTimes(values, gap),
      },
      {
        stroke: ink,
        font,
        size: 56,
        gap: 8,
        grid: {
          stroke: grid,
          width: 1,
          ...(kind.isLogarithmic === true ? { filter: (_, splits) => keepRoundValues(splits) } : {}),
        },
        ticks: { show: false },
        values: (_, values: readonly (number | null)[]) =>
          values.map((value) => (value === null ? "" : kind.formatValue(value))),
        ...(kind.isLogarithmic === true ? { filter: (_, splits) => keepRoundValues(splits) } : {}),
      },
    ],
    series: [{}, ...lines],
    bands: [...(kind.bands?.() ?? [])],
    cursor: {
      // Both charts of a view point at the same time.
      sync: { key: "time" },
      points: { show: false },
      x: true,
      y: false,
      drag: { x: true, y: false, setScale: false },
    },
    hooks: {
      setCursor: [
        (chart) => {
          const { left } = chart.cursor;
          if (left === undefined || left < 0) {
            onPoint(undefined, 0);
            return;
          }
          const { from, step, points } = current();
          const index = Math.floor((chart.posToVal(left, "x") * 1000 - from) / step);
          onPoint(index >= 0 && index < points.length ? index : undefined, left + chart.bbox.left / devicePixelRatio);
        },
      ],
      setSelect: [
        (chart) => {
          const { left, width: wide } = chart.select;
          if (wide < 6) return;
          const { step } = current();
          const [start, end] = [chart.posToVal(left, "x") * 1000, chart.posToVal(left + wide, "x") * 1000];
          const { from, to } = wholeIntervals(start, end, step);
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          setQuery({ from: String(from), to: String(to), last: undefined });
        },
      ],
    },
  };
}

const LOGARITHMIC = {
  // The types have an enumeration for this, which exists in the types only.
  distr: 3,
  range: (_: uPlot, min: number | null, max: number | null) => roundRange(min, max),
} as object as uPlot.Scale;
