import type { JSX } from "preact";
import type { ServerSummary } from "../../../src/admin/views.ts";
import { usePoll } from "../api/poll.ts";
import { StatusBadge } from "../controls/badges.tsx";
import { Icon } from "../controls/icon.tsx";
import { Problem } from "../controls/problem.tsx";
import { Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { formatCompact, formatCount, plural } from "../format/numbers.ts";
import { Link } from "../location/link.tsx";
import { pathTo } from "../location/query.ts";

/** All servers, with their state and their size. */
export function ServersPage(): JSX.Element {
  const { data, error } = usePoll<{ readonly servers: readonly ServerSummary[] }>("servers");
  return (
    <>
      <ViewHead
        title="Servers"
        note={data === undefined ? undefined : `${plural(data.servers.length, "server")} at /mcp/{slug}`}
      >
        <Link href="/add" class="button button-primary">
          <Icon name="plus" /> Add a server
        </Link>
      </ViewHead>
      {data === undefined ? <Waiting error={error} /> : <ServerTable servers={data.servers} />}
    </>
  );
}

function ServerTable({ servers }: { readonly servers: readonly ServerSummary[] }): JSX.Element {
  const most = Math.max(1, ...servers.map(({ tokens }) => tokens));
  return (
    <Panel title="All servers">
      {servers.length === 0 ? (
        <p class="empty">
          There is no server yet. <Link href="/add">Add one here</Link>, or write one into the configuration file.
        </p>
      ) : (
        <table class="rows">
          <caption class="visually-hidden">Servers of the gateway</caption>
          <thead>
            <tr>
              <th scope="col">Server</th>
              <th scope="col">Status</th>
              <th scope="col" class="number">
                Tools
              </th>
              <th scope="col">Size for a model</th>
              <th scope="col">Made in</th>
            </tr>
          </thead>
          <tbody>
            {servers.map((server) => (
              <tr key={server.slug}>
                <td class="cell-main">
                  <Link href={pathTo("servers", server.slug)} class="row-link">
                    <b>{server.title ?? server.slug}</b>
                  </Link>{" "}
                  <span class="muted">/mcp/{server.slug}</span>
                  {server.description === undefined ? null : <span class="cell-note">{server.description}</span>}
                  {server.problems.map((problem) => (
                    <div class="cell-problem" key={problem}>
                      <Icon name="warning" /> <Problem text={problem} />
                    </div>
                  ))}
                </td>
                <td>
                  <StatusBadge status={server.status} />
                </td>
                <td class="number" data-label="Tools">
                  {formatCount(server.activeToolCount)}
                  {server.toolCount === server.activeToolCount ? null : (
                    <span class="muted"> of {formatCount(server.toolCount)}</span>
                  )}
                </td>
                <td data-label="Size">
                  <TokenBar tokens={server.tokens} most={most} />
                </td>
                <td class="muted" data-label="Made in">
                  {server.isFromFile ? "the file" : "this page"}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

/** Estimated tokens, beside a bar that compares them. */
export function TokenBar({ tokens, most }: { readonly tokens: number; readonly most: number }): JSX.Element {
  return (
    <span class="tokens" title="Estimated: a quarter of the bytes of the listing">
      <span class="tokens-track" aria-hidden="true">
        <span class="tokens-fill" style={{ width: `${Math.max(2, (tokens / most) * 100)}%` }} />
      </span>
      <span>
        {formatCompact(tokens)} <span class="muted">tokens</span>
      </span>
    </span>
  );
}
