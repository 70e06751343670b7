import type { ComponentChildren, JSX } from "preact";
import type { CallsView, OverviewView, SeriesView, ServerSummary, ToolTotalsView } from "../../../src/admin/views.ts";
import type { ToolTotals } from "../../../src/log/call-log.ts";
import { usePoll, type Polled } from "../api/poll.ts";
import { BarList } from "../charts/bar-list.tsx";
import { CallsChart } from "../charts/calls-chart.tsx";
import { LatencyChart } from "../charts/latency-chart.tsx";
import { hasCalls } from "../charts/points.ts";
import { Notice, Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { RangePicker } from "../controls/range-picker.tsx";
import { formatCount, formatShare, plural } from "../format/numbers.ts";
import { Link } from "../location/link.tsx";
import { setQuery } from "../location/location.ts";
import { pathTo, type PageLocation } from "../location/query.ts";
import { describeRange, filterQuery, lastOf, chosenTime, type RangeLocation } from "../location/range.ts";
import { CallRows } from "./call-rows.tsx";
import { Figures } from "./figures.tsx";

/** The first screen: how many calls, how many failed, how long they took, and where to look further. */
export function Overview({ location }: { readonly location: RangeLocation }): JSX.Element {
  const query = filterQuery(location).toString();
  const overview = usePoll<OverviewView>(`analytics/overview?${query}`);
  const series = usePoll<SeriesView>(`analytics/series?${query}`);
  const busiest = usePoll<ToolTotalsView>(`analytics/tools?by=calls&limit=6&${query}`);
  const failing = usePoll<ToolTotalsView>(`analytics/tools?by=failures&limit=6&${query}`);
  const errors = usePoll<CallsView>(`calls?failures=true&limit=8&${query}`);
  const range = describeRange(location);
  const isEmpty = overview.data?.totals.calls === 0 && overview.data.before.calls === 0;
  return (
    <>
      <ViewHead title="Overview" note={`Calls of ${range}`}>
        <ServerPicker location={location} />
        <RangePicker location={location} />
      </ViewHead>
      {overview.error === undefined || overview.data === undefined ? null : (
        <Notice tone="bad">{overview.error}</Notice>
      )}
      {overview.data === undefined ? (
        <Waiting error={overview.error} />
      ) : (
        <Figures
          overview={overview.data}
          points={series.data !== undefined && hasCalls(series.data) ? series.data.points : []}
        />
      )}
      {isEmpty ? <FirstSteps /> : null}
      <div class="columns columns-charts">
        <Panel title="Calls over time" note="by outcome">
          <ChartOf series={series} location={location} Chart={CallsChart} />
        </Panel>
        <Panel title="Latency over time" note="percentiles, logarithmic">
          <ChartOf series={series} location={location} Chart={LatencyChart} isBeside />
        </Panel>
      </div>
      <div class="columns">
        <Panel title="Tools by calls">
          {busiest.data === undefined ? (
            <Waiting error={busiest.error} />
          ) : (
            <BarList
              tone="calls"
              empty="No calls yet."
              bars={busiest.data.tools.map((tool) =>
                toBar(tool, location, tool.calls, share(tool.failures, tool.calls)),
              )}
            />
          )}
        </Panel>
        <Panel title="Tools by failures">
          {failing.data === undefined ? (
            <Waiting error={failing.error} />
          ) : (
            <BarList
              tone="failures"
              empty="Nothing failed."
              bars={failing.data.tools.map((tool) =>
                toBar(tool, location, tool.failures, `of ${formatCount(tool.calls)}`, "failures"),
              )}
            />
          )}
        </Panel>
      </div>
      <Panel title="Last errors" actions={<Link href={`/calls?failures=true&${query}`}>All failed calls</Link>}>
        {errors.data === undefined ? (
          <Waiting error={errors.error} />
        ) : (
          <CallRows calls={errors.data.calls} caption="The last calls that failed" empty="Nothing failed." isBrief />
        )}
      </Panel>
    </>
  );
}

/** A chart, or what to do if there is nothing to draw. */
function ChartOf(props: {
  readonly series: Polled<SeriesView>;
  readonly location: RangeLocation;
  readonly Chart: (props: { readonly series: SeriesView }) => JSX.Element;
  /** Whether it is beside a chart of the same series, which says the next step. */
  readonly isBeside?: boolean;
}): JSX.Element {
  const { series, location, Chart, isBeside = false } = props;
  if (series.data === undefined) return <Waiting error={series.error} />;
  if (hasCalls(series.data)) return <Chart series={series.data} />;
  if (isBeside) return <p class="empty empty-chart">No calls in {describeRange(location)}.</p>;
  return <NoCalls location={location} />;
}

/** No calls in this time: a longer one may have some. */
function NoCalls({ location }: { readonly location: RangeLocation }): JSX.Element {
  const longer = chosenTime(location) === undefined && lastOf(location) === "30d" ? undefined : "30d";
  return (
    <p class="empty empty-chart">
      No calls in {describeRange(location)}.{" "}
      {longer === undefined ? (
        <Link href="/servers">Connect a client to a server</Link>
      ) : (
        <button
          type="button"
          class="button button-quiet"
          onClick={() => setQuery({ last: longer, from: undefined, to: undefined })}
        >
          Look at 30 days
        </button>
      )}
    </p>
  );
}

function toBar(
  tool: ToolTotals,
  location: RangeLocation,
  value: number,
  note: string | undefined,
  kind: "calls" | "failures" = "calls",
): Parameters<typeof BarList>[0]["bars"][number] {
  const query = filterQuery(location);
  query.set("server", tool.server);
  query.set("tool", tool.tool);
  if (kind === "failures") query.set("failures", "true");
  return {
    key: `${tool.server}/${tool.tool}`,
    href: `/calls?${query.toString()}`,
    label: tool.tool,
    detail: tool.server,
    value,
    text: formatCount(value),
    note,
  };
}

function share(failures: number, calls: number): string | undefined {
  return failures === 0 ? undefined : `${formatShare(failures / calls)} failed`;
}

/** Shows one server alone. */
export function ServerPicker({ location }: { readonly location: PageLocation }): JSX.Element {
  const servers = usePoll<{ readonly servers: readonly ServerSummary[] }>("servers", 30_000).data?.servers ?? [];
  const chosen = location.query.get("server") ?? "";
  const isKnown = chosen === "" || servers.some(({ slug }) => slug === chosen);
  return (
    <label class="inline-field">
      <span>Server</span>
      <select value={chosen} onChange={({ currentTarget }) => setQuery({ server: currentTarget.value })}>
        <option value="">All servers</option>
        {servers.map(({ slug, title }) => (
          <option key={slug} value={slug}>
            {title ?? slug}
          </option>
        ))}
        {isKnown ? null : <option value={chosen}>{chosen}</option>}
      </select>
    </label>
  );
}

function FirstSteps(): JSX.Element {
  const servers = usePoll<{ readonly servers: readonly ServerSummary[] }>("servers", 30_000).data?.servers ?? [];
  const [first] = servers;
  let text: ComponentChildren = (
    <>
      There is no server yet. <Link href="/add">Add one here</Link>, or write one into the configuration file.
    </>
  );
  if (first !== undefined) {
    const path = pathTo("servers", first.slug);
    text = (
      <>
        No calls yet. {plural(servers.length, "server waits", "servers wait")} for them:{" "}
        <Link href={path}>connect a client to {first.title ?? first.slug}</Link>, or try one of its tools there.
      </>
    );
  }
  return <Notice tone="plain">{text}</Notice>;
}
