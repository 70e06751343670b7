import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ServerView, ToolView } from "../../../src/admin/views.ts";
import { change, messageOf } from "../api/client.ts";
import { usePoll } from "../api/poll.ts";
import { announce } from "../controls/announce.tsx";
import { SourceBadge, StatusBadge } from "../controls/badges.tsx";
import { Confirm } from "../controls/confirm.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import { Icon } from "../controls/icon.tsx";
import { JsonText } from "../controls/json-text.tsx";
import { Notice, Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { showHidden } from "../format/hidden-characters.ts";
import { formatBytes, plural } from "../format/numbers.ts";
import { Link } from "../location/link.tsx";
import { navigate, pathTo } from "../location/location.ts";
import { CredentialTable } from "./credentials.tsx";
import { TokenBar } from "./servers.tsx";
import { UpstreamTable } from "./upstreams.tsx";

/** One server: its endpoint, its tools, and what it is made of. */
export function ServerPage({ slug }: { readonly slug: string }): JSX.Element {
  const { data, error, refresh } = usePoll<ServerView>(`servers/${encodeURIComponent(slug)}`);
  if (data === undefined) {
    return (
      <>
        <ViewHead title={slug} />
        <Waiting error={error} />
      </>
    );
  }
  return (
    <>
      <p class="crumbs">
        <Link href="/servers">Servers</Link>
      </p>
      <ViewHead
        title={
          <>
            {data.title ?? data.slug} <StatusBadge status={data.status} />
          </>
        }
        note={data.description}
      >
        <ServerActions server={data} onChange={refresh} />
      </ViewHead>
      <p class="endpoint">
        <span class="muted">Clients connect to</span> <code>{data.endpoint}</code>
        <CopyButton text={data.endpoint} label="Copy the address" />
      </p>
      {data.problems.length === 0 ? null : (
        <Notice tone="bad">
          <ul>
            {data.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      <ToolTable server={data} onChange={refresh} />
      {data.upstreams.length === 0 ? null : (
        <Panel title="Upstreams">
          <UpstreamTable upstreams={data.upstreams} onChange={refresh} />
        </Panel>
      )}
      {data.credentials.length === 0 ? null : (
        <Panel title="Credentials">
          <CredentialTable credentials={data.credentials} onChange={refresh} />
        </Panel>
      )}
      <Panel title="Configuration" note={data.isFromFile ? "from the file" : `revision ${data.revision ?? 0}`}>
        <JsonText text={JSON.stringify(data.config)} label="Configuration, without secrets" />
      </Panel>
    </>
  );
}

function ServerActions({
  server,
  onChange,
}: {
  readonly server: ServerView;
  readonly onChange: () => void;
}): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  if (server.isFromFile) return <p class="muted">Change it in the configuration file; the gateway notices.</p>;
  const path = `servers/${encodeURIComponent(server.slug)}`;
  const setStatus = async (status: string): Promise<void> => {
    try {
      await change("PATCH", path, { status }, { revision: server.revision });
      announce(`${server.slug} is ${status} now.`);
    } catch (failure) {
      announce(messageOf(failure));
    }
    onChange();
  };
  return (
    <>
      <label class="inline-field">
        <span>Status</span>
        <select value={server.status} onChange={({ currentTarget }) => void setStatus(currentTarget.value)}>
          <option value="active">active</option>
          <option value="paused">paused</option>
          <option value="draft">draft</option>
        </select>
      </label>
      <button type="button" class="button" onClick={() => setAsking(true)}>
        <Icon name="trash" /> Remove
      </button>
      {isAsking ? (
        <Confirm
          title={`Remove ${server.slug}?`}
          text="Clients that use it get an error from then on. Its calls stay in the log."
          action="Remove the server"
          run={async () => {
            await change("DELETE", path, undefined, { revision: server.revision });
            announce(`${server.slug} was removed.`);
            navigate("/servers");
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}

function ToolTable({ server, onChange }: { readonly server: ServerView; readonly onChange: () => void }): JSX.Element {
  const { tools } = server;
  const most = Math.max(1, ...tools.map(({ tokens }) => tokens));
  const toggle = async (tool: ToolView): Promise<void> => {
    const status = tool.status === "active" ? "draft" : "active";
    try {
      const path = `servers/${encodeURIComponent(server.slug)}/tools/${encodeURIComponent(tool.name)}`;
      await change("PATCH", path, { status }, { revision: server.revision });
      announce(`${tool.name} is ${status} now.`);
    } catch (failure) {
      announce(messageOf(failure));
    }
    onChange();
  };
  return (
    <Panel
      title="Tools"
      note={`${plural(tools.length, "tool")}, ${formatBytes(tools.reduce((sum, { bytes }) => sum + bytes, 0))}`}
    >
      {tools.length === 0 ? (
        <p class="empty">This server has no tools.</p>
      ) : (
        <table class="rows">
          <caption class="visually-hidden">Tools of {server.slug}</caption>
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Source</th>
              <th scope="col">Status</th>
              <th scope="col">Size for a model</th>
              {server.isFromFile ? null : <th scope="col">Change</th>}
            </tr>
          </thead>
          <tbody>
            {tools.map((tool) => (
              <tr key={tool.name}>
                <td class="cell-main">
                  <Link href={pathTo("servers", server.slug, "tools", tool.name)} class="row-link">
                    <b>{showHidden(tool.name)}</b>
                  </Link>
                  <span class="cell-note">{showHidden(tool.description ?? "")}</span>
                </td>
                <td>
                  <SourceBadge source={tool.source} />
                </td>
                <td>
                  <StatusBadge status={tool.status} />
                </td>
                <td>
                  <TokenBar tokens={tool.tokens} most={most} />
                </td>
                {server.isFromFile ? null : (
                  <td>
                    <button type="button" class="button button-quiet" onClick={() => void toggle(tool)}>
                      {tool.status === "active" ? "Make a draft" : "Activate"}
                      <span class="visually-hidden"> {tool.name}</span>
                    </button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
