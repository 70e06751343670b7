import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ServerView } from "../../../src/admin/views.ts";
import { change, messageOf } from "../api/client.ts";
import { usePoll } from "../api/poll.ts";
import { ConnectPanel } from "../connect/connect-panel.tsx";
import { announce } from "../controls/announce.tsx";
import { StatusBadge } from "../controls/badges.tsx";
import { Confirm } from "../controls/confirm.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import { Icon } from "../controls/icon.tsx";
import { Problem } from "../controls/problem.tsx";
import { Notice, Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { Link } from "../location/link.tsx";
import { navigate } from "../location/location.ts";
import { CredentialTable } from "./credentials.tsx";
import { ServerConfigPanel } from "./server-config.tsx";
import { ToolTable } from "./server-tools.tsx";
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
              <li key={problem}>
                <Problem text={problem} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <ConnectPanel server={data} />
      <ToolTable server={data} onChange={refresh} />
      {data.upstreams.length === 0 && data.isFromFile ? null : (
        <Panel
          title="Upstreams"
          actions={
            data.isFromFile ? undefined : (
              <Link href={`/add/mcp?server=${encodeURIComponent(data.slug)}`} class="button button-quiet">
                <Icon name="plus" /> Add an MCP server
              </Link>
            )
          }
        >
          {data.upstreams.length === 0 ? (
            <p class="empty">This server offers no other MCP server.</p>
          ) : (
            <UpstreamTable
              upstreams={data.upstreams}
              onChange={refresh}
              changeable={data.isFromFile ? undefined : { slug: data.slug, revision: data.revision }}
            />
          )}
        </Panel>
      )}
      {data.credentials.length === 0 ? null : (
        <Panel title="Credentials">
          <CredentialTable credentials={data.credentials} onChange={refresh} />
        </Panel>
      )}
      <ServerConfigPanel server={data} />
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
