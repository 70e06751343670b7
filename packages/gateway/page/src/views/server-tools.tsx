import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ServerView, ToolView } from "../../../src/admin/views.ts";
import { change, messageOf } from "../api/client.ts";
import { announce } from "../controls/announce.tsx";
import { SourceBadge, StatusBadge } from "../controls/badges.tsx";
import { Confirm } from "../controls/confirm.tsx";
import { Icon } from "../controls/icon.tsx";
import { Panel } from "../controls/panel.tsx";
import { showHidden } from "../format/hidden-characters.ts";
import { formatBytes, plural } from "../format/numbers.ts";
import { Link } from "../location/link.tsx";
import { pathTo } from "../location/query.ts";
import { TokenBar } from "./servers.tsx";

/** The tools of a server. Those of a server that was made here can be changed. */
export function ToolTable(props: { readonly server: ServerView; readonly onChange: () => void }): JSX.Element {
  const { server, onChange } = props;
  const { tools, isFromFile, slug, revision } = server;
  const [removing, setRemoving] = useState<string | undefined>();
  const most = Math.max(1, ...tools.map(({ tokens }) => tokens));
  const size = formatBytes(tools.reduce((sum, { bytes }) => sum + bytes, 0));
  return (
    <Panel
      title="Tools"
      note={`${plural(tools.length, "tool")}, ${size}`}
      actions={
        isFromFile ? undefined : (
          <Link href={`/add/tool?server=${encodeURIComponent(slug)}`} class="button button-quiet">
            <Icon name="plus" /> Add a tool
          </Link>
        )
      }
    >
      {tools.length === 0 ? (
        <p class="empty">{describeNone(server)}</p>
      ) : (
        <table class="rows">
          <caption class="visually-hidden">Tools of {slug}</caption>
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Source</th>
              <th scope="col">Status</th>
              <th scope="col">Size for a model</th>
              {isFromFile ? null : <th scope="col">Change</th>}
            </tr>
          </thead>
          <tbody>
            {tools.map((tool) => (
              <tr key={tool.name}>
                <td class="cell-main">
                  <Link href={pathTo("servers", slug, "tools", tool.name)} class="row-link">
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
                {isFromFile ? null : (
                  <td class="cell-actions">
                    <ToolActions
                      server={server}
                      tool={tool}
                      onChange={onChange}
                      onRemove={() => setRemoving(tool.name)}
                    />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {removing === undefined ? null : (
        <Confirm
          title={`Remove ${removing}?`}
          text="Clients do not see it from then on. Its calls stay in the log."
          action="Remove the tool"
          run={async () => {
            const path = `servers/${encodeURIComponent(slug)}/tools/${encodeURIComponent(removing)}`;
            await change("DELETE", path, undefined, { revision });
            announce(`${removing} was removed.`);
            onChange();
          }}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Panel>
  );
}

function ToolActions(props: {
  readonly server: ServerView;
  readonly tool: ToolView;
  readonly onChange: () => void;
  readonly onRemove: () => void;
}): JSX.Element {
  const { server, tool, onChange, onRemove } = props;
  const { slug, revision } = server;
  const toggle = async (): Promise<void> => {
    const status = tool.status === "active" ? "draft" : "active";
    try {
      const path = `servers/${encodeURIComponent(slug)}/tools/${encodeURIComponent(tool.name)}`;
      await change("PATCH", path, { status }, { revision });
      announce(`${tool.name} is ${status} now.`);
    } catch (failure) {
      announce(messageOf(failure));
    }
    onChange();
  };
  const hidden = <span class="visually-hidden"> {tool.name}</span>;
  return (
    <>
      <button type="button" class="button button-quiet" onClick={() => void toggle()}>
        {tool.status === "active" ? "Make a draft" : "Activate"}
        {hidden}
      </button>
      {tool.source === "http" ? (
        <>
          <Link href={pathTo("servers", slug, "tools", tool.name, "edit")} class="button button-quiet">
            Edit{hidden}
          </Link>
          <button type="button" class="button button-quiet" onClick={onRemove}>
            Remove{hidden}
          </button>
        </>
      ) : null}
    </>
  );
}

function describeNone({ isFromFile, upstreams }: ServerView): string {
  if (upstreams.length > 0) return "No tools yet: they are listed when an upstream is connected.";
  return isFromFile
    ? "This server has no tools. Give it tools, openapi or upstreams in the configuration file."
    : "This server has no tools. Add one, or another MCP server.";
}
