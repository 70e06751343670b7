import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { UpstreamView } from "../../../src/admin/views.ts";
import { change, messageOf } from "../api/client.ts";
import { usePoll } from "../api/poll.ts";
import { announce } from "../controls/announce.tsx";
import { StatusBadge } from "../controls/badges.tsx";
import { Confirm } from "../controls/confirm.tsx";
import { Icon } from "../controls/icon.tsx";
import { Problem } from "../controls/problem.tsx";
import { Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { showHidden } from "../format/hidden-characters.ts";
import { formatCount, plural } from "../format/numbers.ts";
import { Link } from "../location/link.tsx";
import { pathTo } from "../location/query.ts";
import { UpstreamLogins } from "./upstream-logins.tsx";

/** The MCP servers behind this gateway. */
export function UpstreamsPage(): JSX.Element {
  const { data, error, refresh } = usePoll<{ readonly upstreams: readonly UpstreamView[] }>("upstreams");
  return (
    <>
      <ViewHead title="Upstreams" note="Other MCP servers that this gateway offers">
        <Link href="/add/mcp" class="button button-primary">
          <Icon name="plus" /> Add an MCP server
        </Link>
      </ViewHead>
      {data === undefined ? (
        <Waiting error={error} />
      ) : (
        <Panel title="All upstreams" note={plural(data.upstreams.length, "upstream")}>
          <UpstreamTable upstreams={data.upstreams} onChange={refresh} />
        </Panel>
      )}
    </>
  );
}

/** Upstreams, their state, and what can be done about it. */
export function UpstreamTable(props: {
  readonly upstreams: readonly UpstreamView[];
  readonly onChange: () => void;
  /** The server that they belong to, if it was made here and can be changed. */
  readonly changeable?: { readonly slug: string; readonly revision: number | undefined } | undefined;
}): JSX.Element {
  const { upstreams, onChange, changeable } = props;
  const [removing, setRemoving] = useState<string | undefined>();
  if (upstreams.length === 0) {
    return (
      <p class="empty">
        No server offers other MCP servers. <Link href="/add/mcp">Add one here</Link>, or write <code>upstreams</code>{" "}
        into a server of the configuration file.
      </p>
    );
  }
  return (
    <>
      <ul class="cards">
        {upstreams.map((upstream) => (
          <li class="card" key={`${upstream.server}/${upstream.name}`}>
            <UpstreamCard
              upstream={upstream}
              onChange={onChange}
              onRemove={changeable && (() => setRemoving(upstream.name))}
            />
          </li>
        ))}
      </ul>
      {removing === undefined || changeable === undefined ? null : (
        <Confirm
          title={`Remove ${removing}?`}
          text="Its connections are closed, and its tools are gone for clients. Their calls stay in the log."
          action="Remove the MCP server"
          run={async () => {
            const path = `servers/${encodeURIComponent(changeable.slug)}/upstreams/${encodeURIComponent(removing)}`;
            await change("DELETE", path, undefined, { revision: changeable.revision });
            announce(`${removing} was removed.`);
            onChange();
          }}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

function UpstreamCard({
  upstream,
  onChange,
  onRemove,
}: {
  readonly upstream: UpstreamView;
  readonly onChange: () => void;
  /** Absent if it comes from the configuration file, or is shown beside those of other servers. */
  readonly onRemove?: (() => void) | undefined;
}): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const path = `servers/${encodeURIComponent(upstream.server)}/upstreams/${encodeURIComponent(upstream.name)}`;
  const run = async (action: "restart" | "accept", text: string): Promise<void> => {
    setBusy(true);
    try {
      await change("POST", `${path}/${action}`, {});
      announce(text);
    } catch (failure) {
      announce(messageOf(failure));
    }
    setBusy(false);
    onChange();
  };
  const { serverInfo } = upstream;
  return (
    <>
      <div class="card-head">
        <h3>{upstream.name}</h3>
        <StatusBadge status={upstream.state} />
        <span class="badge badge-plain">{upstream.kind}</span>
        {upstream.isPinned ? <span class="badge badge-plain">pinned</span> : null}
      </div>
      <p class="card-target">
        <code>{upstream.target}</code>
      </p>
      <p class="muted">
        In <Link href={pathTo("servers", upstream.server)}>{upstream.server}</Link> · {plural(upstream.tools, "tool")} ·{" "}
        {plural(upstream.connections, "connection")}
        {serverInfo === undefined ? "" : ` · calls itself ${serverInfo.name} ${serverInfo.version}`}
        {upstream.revision === undefined ? "" : ` · ${upstream.revision}`}
      </p>
      {upstream.error === undefined ? null : (
        <div class="error">
          <Problem text={upstream.error} />
        </div>
      )}
      {upstream.problems.map((problem) => (
        <div class="cell-problem" key={problem}>
          <Icon name="warning" /> <Problem text={problem} />
        </div>
      ))}
      {upstream.changedTools.length === 0 ? null : (
        <div class="changed">
          <p>
            <Icon name="warning" />{" "}
            <b>
              {formatCount(upstream.changedTools.length)}{" "}
              {upstream.changedTools.length === 1 ? "tool has" : "tools have"} changed
            </b>{" "}
            since somebody accepted them{upstream.isPinned ? ", and cannot be called" : ""}. Read their descriptions
            before you accept them: a model will.
          </p>
          <ul class="tags">
            {upstream.changedTools.map((tool) => (
              <li key={tool}>
                <Link href={pathTo("servers", upstream.server, "tools", tool)}>
                  <code>{showHidden(tool)}</code>
                </Link>
              </li>
            ))}
          </ul>
          <button
            type="button"
            class="button button-primary"
            disabled={isBusy}
            onClick={() => void run("accept", `The tools of ${upstream.name} are accepted.`)}
          >
            <Icon name="check" /> Accept the changes
          </button>
        </div>
      )}
      {upstream.logins === undefined ? null : <UpstreamLogins upstream={upstream} path={path} />}
      <div class="card-actions">
        <button
          type="button"
          class="button button-quiet"
          disabled={isBusy}
          onClick={() => void run("restart", `${upstream.name} was restarted.`)}
        >
          <Icon name="refresh" /> Restart<span class="visually-hidden"> {upstream.name}</span>
        </button>
        {onRemove === undefined ? null : (
          <>
            <Link
              href={pathTo("servers", upstream.server, "upstreams", upstream.name, "edit")}
              class="button button-quiet"
            >
              Edit<span class="visually-hidden"> {upstream.name}</span>
            </Link>
            <button type="button" class="button button-quiet" onClick={onRemove}>
              Remove<span class="visually-hidden"> {upstream.name}</span>
            </button>
          </>
        )}
      </div>
    </>
  );
}
