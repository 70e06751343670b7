import type { ComponentChildren, JSX } from "preact";
import type { CallRecord } from "../../../src/log/call-record.ts";
import { usePoll } from "../api/poll.ts";
import { OutcomeBadge, SourceBadge } from "../controls/badges.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import { Icon } from "../controls/icon.tsx";
import { JsonText } from "../controls/json-text.tsx";
import { Notice, Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { showHidden } from "../format/hidden-characters.ts";
import { formatBytes, formatMs } from "../format/numbers.ts";
import { formatFullTime } from "../format/times.ts";
import { Link } from "../location/link.tsx";
import { pathTo } from "../location/query.ts";
import { TimeLine } from "./time-line.tsx";

/** One call: what happened, when, and how long each step took. */
export function CallView({ id }: { readonly id: string }): JSX.Element {
  const { data, error } = usePoll<{ readonly call: CallRecord }>(`calls/${encodeURIComponent(id)}`, 60_000);
  if (data === undefined) {
    return (
      <>
        <ViewHead title="Call" />
        <Waiting error={error} />
      </>
    );
  }
  const { call } = data;
  const toolPath = pathTo("servers", call.server, "tools", call.tool);
  return (
    <>
      <p class="crumbs">
        <Link href="/calls">Calls</Link> <span aria-hidden="true">/</span>{" "}
        <Link href={`/calls?server=${encodeURIComponent(call.server)}&tool=${encodeURIComponent(call.tool)}`}>
          {call.server} {call.tool}
        </Link>
      </p>
      <ViewHead
        title={
          <>
            {showHidden(call.tool)} <OutcomeBadge outcome={call.outcome} />
          </>
        }
        note={
          <>
            {formatFullTime(call.at)} · {formatMs(call.durationMs)} · server{" "}
            <Link href={pathTo("servers", call.server)}>{call.server}</Link>
          </>
        }
      >
        {call.source === "none" ? null : (
          <Link href={`${toolPath}?from=${encodeURIComponent(call.id)}`} class="button button-primary">
            <Icon name="refresh" /> Try again
          </Link>
        )}
      </ViewHead>
      {call.error === undefined ? null : (
        <Notice tone="bad">
          <p class="call-error">{showHidden(call.error)}</p>
        </Notice>
      )}
      <Panel title="Time line" note={`${formatMs(call.durationMs)} in all`}>
        <TimeLine call={call} />
      </Panel>
      <div class="columns">
        <Panel title="Request">
          <dl class="facts">
            <Fact name="Arguments">{formatBytes(call.requestBytes)}</Fact>
            <Fact name="Principal">{showHidden(call.principal ?? "none")}</Fact>
            <Fact name="Client">{showHidden(clientOf(call))}</Fact>
            {call.clientName === undefined ? null : (
              <Fact name="User agent">{showHidden(call.userAgent ?? "none")}</Fact>
            )}
            <Fact name="Revision">{call.revision}</Fact>
            <Fact name="Gateway">{call.node}</Fact>
            {call.traceId === undefined ? null : (
              <Fact name="Trace">
                <code>{call.traceId}</code>
              </Fact>
            )}
            <Fact name="Id">
              <code>{call.id}</code> <CopyButton text={call.id} label="Copy the id" />
            </Fact>
          </dl>
          {call.capture === undefined ? null : (
            <JsonText text={call.capture.arguments} label="Arguments, without secrets" />
          )}
        </Panel>
        <Panel title="Response">
          <dl class="facts">
            <Fact name="Source">
              <SourceBadge source={call.source} />
            </Fact>
            {call.httpStatus === undefined ? null : <Fact name="HTTP status">{call.httpStatus}</Fact>}
            {call.rpcCode === undefined ? null : <Fact name="JSON-RPC code">{call.rpcCode}</Fact>}
            <Fact name="Attempts">{call.attempts}</Fact>
            {call.firstByteMs === undefined ? null : <Fact name="To first byte">{formatMs(call.firstByteMs)}</Fact>}
            <Fact name="Body">
              {formatBytes(call.responseBytes)}
              {call.isTruncated ? ", cut to fit" : ""}
            </Fact>
          </dl>
          {call.capture === undefined ? (
            <p class="muted">
              Bodies are not kept. <code>capture: true</code> in the configuration of the server keeps them, without
              secrets.
            </p>
          ) : (
            <JsonText text={call.capture.response} label="Response, without secrets" />
          )}
        </Panel>
      </div>
    </>
  );
}

/** The name that the client gives itself, or else what its HTTP library says. */
function clientOf({ clientName, clientVersion, userAgent }: CallRecord): string {
  if (clientName === undefined) return userAgent ?? "unknown";
  return clientVersion === undefined ? clientName : `${clientName} ${clientVersion}`;
}

/** A fact with its name. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
