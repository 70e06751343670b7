import type { JSX } from "preact";
import type { OverviewView, SeriesView } from "../../../src/admin/views.ts";
import { Sparkline } from "../charts/sparkline.tsx";
import { changeOf, rateOf } from "../format/changes.ts";
import { formatCount, formatMs, formatShare } from "../format/numbers.ts";

/** The six figures of the first screen, each beside the one of the period before. */
export function Figures(props: {
  readonly overview: OverviewView;
  readonly points: SeriesView["points"];
}): JSX.Element {
  const { totals, before, servers } = props.overview;
  const { points } = props;
  const rate = rateOf(totals);
  const rateBefore = rateOf(before);
  const others = [
    servers.paused === 0 ? "" : `${servers.paused} paused`,
    servers.draft === 0 ? "" : `${servers.draft} draft`,
    servers.withProblems === 0 ? "" : `${servers.withProblems} with problems`,
  ].filter((text) => text !== "");
  return (
    <dl class="figures-strip">
      <Figure
        name="Calls"
        text={formatCount(totals.calls)}
        before={formatCount(before.calls)}
        change={changeOf(totals.calls, before.calls)}
        values={points.map(({ calls }) => calls)}
      />
      <Figure
        name="Error rate"
        text={formatShare(rate)}
        before={formatShare(rateBefore)}
        change={changeOf(rate, rateBefore)}
        isWorseWhenMore
        values={points.map((point) => rateOf(point) ?? 0)}
      />
      {(["p50", "p95", "p99"] as const).map((id) => (
        <Figure
          key={id}
          name={`Latency ${id}`}
          text={formatMs(totals[id])}
          before={formatMs(before[id])}
          change={changeOf(totals[id], before[id])}
          isWorseWhenMore
          values={points.map((point) => point[id])}
        />
      ))}
      <div class="figure">
        <dt>Active servers</dt>
        <dd>
          <span class="figure-value">{formatCount(servers.active)}</span>
          <span class="figure-change muted">{others.length === 0 ? "all well" : others.join(", ")}</span>
        </dd>
      </div>
    </dl>
  );
}

function Figure(props: {
  readonly name: string;
  readonly text: string;
  readonly before: string;
  readonly change: number | undefined;
  readonly isWorseWhenMore?: boolean;
  readonly values: readonly (number | undefined)[];
}): JSX.Element {
  const { name, text, before, change, isWorseWhenMore = false, values } = props;
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        <span class="figure-value">{text}</span>
        <Change {...{ change, before, isWorseWhenMore }} />
        <Sparkline values={values} />
      </dd>
    </div>
  );
}

function Change(props: {
  readonly change: number | undefined;
  readonly before: string;
  readonly isWorseWhenMore: boolean;
}): JSX.Element {
  const { change, before, isWorseWhenMore } = props;
  if (change === undefined) return <span class="figure-change muted">no calls before</span>;
  const percent = Math.round(change * 100);
  if (percent === 0) return <span class="figure-change muted">unchanged</span>;
  const isUp = percent > 0;
  const tone = isWorseWhenMore ? (isUp ? "worse" : "better") : "neutral";
  return (
    <span class={`figure-change change-${tone}`}>
      <span aria-hidden="true">{isUp ? "▲" : "▼"}</span>
      <span class="visually-hidden">{isUp ? "up" : "down"} </span> {Math.abs(percent)} %{" "}
      <span class="muted">was {before}</span>
    </span>
  );
}
