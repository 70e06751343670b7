import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CallsView as CallsPage, ClientTotalsView, ServerView } from "../../../src/admin/views.ts";
import type { CallRecord } from "../../../src/log/call-record.ts";
import { messageOf, read } from "../api/client.ts";
import { useLiveCalls } from "../api/live.ts";
import { mergeCalls } from "../api/merge-calls.ts";
import { usePoll } from "../api/poll.ts";
import { Icon } from "../controls/icon.tsx";
import { Notice, Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { RangePicker } from "../controls/range-picker.tsx";
import { plural } from "../format/numbers.ts";
import { OUTCOME_NAMES, OUTCOME_ORDER } from "../format/outcomes.ts";
import { setQuery } from "../location/location.ts";
import { describeRange, FILTERS, filterQuery, type RangeLocation } from "../location/range.ts";
import { CallRows } from "./call-rows.tsx";
import { ServerPicker } from "./overview.tsx";

/** The call log: filters, a switch that follows it live, older pages, and files of it. */
export function CallsView({ location }: { readonly location: RangeLocation }): JSX.Element {
  const query = filterQuery(location).toString();
  const onlyFailures = location.query.get("failures") === "true";
  const isLive = location.query.get("live") === "true";
  const path = `calls?limit=50&${query}${onlyFailures ? "&failures=true" : ""}`;
  const newest = usePoll<CallsPage>(path, isLive ? 60_000 : 5000);
  const older = useOlder(path, newest.data?.next);
  const live = useLiveCalls(isLive, query);
  const calls = mergeCalls(
    live.calls.filter((call) => !onlyFailures || call.outcome !== "ok"),
    newest.data?.calls ?? [],
    older.calls,
  );
  const isFiltered = onlyFailures || FILTERS.some((name) => (location.query.get(name) ?? "") !== "");
  return (
    <>
      <ViewHead title="Calls" note={`The log of ${describeRange(location)}`}>
        <RangePicker location={location} />
      </ViewHead>
      <Filters location={location} isFiltered={isFiltered} />
      <Panel
        title="Call log"
        note={newest.data === undefined ? undefined : `${plural(calls.length, "call")} shown`}
        actions={
          <>
            <button
              type="button"
              role="switch"
              aria-checked={isLive}
              class="switch"
              onClick={() => setQuery({ live: isLive ? undefined : "true" })}
            >
              <span class="switch-track" aria-hidden="true" />
              Live
            </button>
            <a class="button button-quiet" href={`/api/v1/calls/export?format=csv&${query}`} download>
              <Icon name="download" /> CSV
            </a>
            <a class="button button-quiet" href={`/api/v1/calls/export?format=jsonl&${query}`} download>
              <Icon name="download" /> JSONL
            </a>
          </>
        }
      >
        {isLive ? (
          <p class="live-note" role="status">
            {live.state === "on" ? `Live: ${plural(live.calls.length, "new call")}` : "Connecting …"}
            {live.missed === 0 ? "" : `, ${plural(live.missed, "call")} left out because they came too fast`}
          </p>
        ) : null}
        {newest.data === undefined ? (
          <Waiting error={newest.error} />
        ) : (
          <CallRows
            calls={calls}
            caption="Calls, newest first"
            empty={
              isFiltered
                ? "No call fits these filters. Clear some of them, or choose a longer time."
                : `No calls in ${describeRange(location)}. Choose a longer time, or try a tool: its call appears here.`
            }
          />
        )}
        {older.error === undefined ? null : <Notice tone="bad">{older.error}</Notice>}
        {older.next === undefined ? null : (
          <button type="button" class="button more" disabled={older.isBusy} onClick={older.load}>
            {older.isBusy ? "Loading …" : "Show older calls"}
          </button>
        )}
      </Panel>
    </>
  );
}

function Filters({
  location,
  isFiltered,
}: {
  readonly location: RangeLocation;
  readonly isFiltered: boolean;
}): JSX.Element {
  const server = location.query.get("server") ?? "";
  const tools = usePoll<ServerView>(server === "" ? undefined : `servers/${encodeURIComponent(server)}`, 60_000).data
    ?.tools;
  const clients = usePoll<ClientTotalsView>("analytics/clients?last=30d", 60_000).data?.clients;
  const clear = Object.fromEntries([...FILTERS, "failures"].map((name) => [name, undefined]));
  return (
    <form class="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <ServerPicker location={location} />
      <TextFilter name="tool" label="Tool" location={location} options={tools?.map((tool) => tool.name)} />
      <label class="inline-field">
        <span>Outcome</span>
        <select
          value={location.query.get("failures") === "true" ? "failures" : (location.query.get("outcome") ?? "")}
          onChange={({ currentTarget: { value } }) =>
            setQuery(
              value === "failures" ? { failures: "true", outcome: undefined } : { failures: undefined, outcome: value },
            )
          }
        >
          <option value="">Any outcome</option>
          <option value="failures">All failures</option>
          {OUTCOME_ORDER.map((outcome) => (
            <option key={outcome} value={outcome}>
              {OUTCOME_NAMES[outcome].name}
            </option>
          ))}
        </select>
      </label>
      <TextFilter name="principal" label="Principal" location={location} />
      <TextFilter name="client" label="Client" location={location} options={clients?.map(({ client }) => client)} />
      {isFiltered ? (
        <button type="button" class="button button-quiet" onClick={() => setQuery(clear)}>
          Clear filters
        </button>
      ) : null}
    </form>
  );
}

/** A filter that takes effect when the field is left or Enter is pressed. */
function TextFilter(props: {
  readonly name: string;
  readonly label: string;
  readonly location: RangeLocation;
  readonly options?: readonly string[] | undefined;
}): JSX.Element {
  const { name, label, location, options = [] } = props;
  const list = `options-${name}`;
  return (
    <label class="inline-field">
      <span>{label}</span>
      <input
        type="search"
        placeholder="Any"
        autocomplete="off"
        list={options.length === 0 ? undefined : list}
        value={location.query.get(name) ?? ""}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value.trim() })}
      />
      {options.length === 0 ? null : (
        <datalist id={list}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </label>
  );
}

/** The pages after the first one. They stay until the filters change. */
function useOlder(
  path: string,
  first: string | undefined,
): {
  readonly calls: readonly CallRecord[];
  readonly next: string | undefined;
  readonly isBusy: boolean;
  readonly error: string | undefined;
  readonly load: () => void;
} {
  const [state, setState] = useState<{ calls: readonly CallRecord[]; next?: string | undefined; isStarted: boolean }>({
    calls: [],
    isStarted: false,
  });
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | undefined>();
  useEffect(() => setState({ calls: [], isStarted: false }), [path]);
  const next = state.isStarted ? state.next : first;
  const load = async (): Promise<void> => {
    if (next === undefined) return;
    setBusy(true);
    try {
      const page = await read<CallsPage>(`${path}&before=${encodeURIComponent(next)}`);
      setState((before) => ({ calls: [...before.calls, ...page.calls], next: page.next, isStarted: true }));
      setError(undefined);
    } catch (failure) {
      setError(messageOf(failure));
    }
    setBusy(false);
  };
  return { calls: state.calls, next, isBusy, error, load: () => void load() };
}
