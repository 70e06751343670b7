import type { ComponentChildren, JSX } from "preact";
import type { CallsView, OverviewView, SeriesView, ServerSummary, ToolTotalsView } from "../../../src/admin/views.ts";
import type { ToolTotals } from "../../../src/log/call-log.ts";
import { usePoll } from "../api/poll.ts";
import { BarList } from "../charts/bar-list.tsx";
import { CallsChart } from "../charts/calls-chart.tsx";
import { LatencyChart } from "../charts/latency-chart.tsx";
import { Notice, Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { RangePicker } from "../controls/range-picker.tsx";
import { formatCount, formatShare, plural } from "../format/numbers.ts";
import { Link } from "../location/link.tsx";
import { setQuery, type PageLocation } from "../location/location.ts";
import { describeRange, filterQuery } from "../location/range.ts";
import { CallRows } from "./call-rows.tsx";
import { Figures } from "./figures.tsx";

/** The first screen: how many calls, how many failed, how long they took, and where to look further. */
export function Overview({ location }: { readonly location: PageLocation }): JSX.Element {
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
        <Figures overview={overview.data} points={series.data?.points ?? []} />
      )}
      {isEmpty ? <FirstSteps /> : null}
      <div class="columns columns-charts">
        <Panel title="Calls over time" note="by outcome">
          {series.data === undefined ? <Waiting error={series.error} /> : <CallsChart series={series.data} />}
        </Panel>
        <Panel title="Latency over time" note="percentiles, logarithmic">
          {series.data === undefined ? <Waiting error={series.error} /> : <LatencyChart series={series.data} />}
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

function toBar(
  tool: ToolTotals,
  location: PageLocation,
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
      There is no server yet. <Link href="/import">Import an OpenAPI document</Link>, or write one into the
      configuration file.
    </>
  );
  if (first !== undefined) {
    text = (
      <>
        No calls yet. {plural(servers.length, "server waits", "servers wait")} for them; a client connects to{" "}
        <code>{first.endpoint}</code>. <Link href={`/servers/${first.slug}`}>Try one of its tools</Link> meanwhile.
      </>
    );
  }
  return <Notice tone="plain">{text}</Notice>;
}
