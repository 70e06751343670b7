import type { JSX } from "preact";
import type { CallRecord } from "../../../src/log/call-record.ts";
import { OutcomeBadge } from "../controls/badges.tsx";
import { showHidden } from "../format/hidden-characters.ts";
import { splitProblem } from "../format/problem-text.ts";
import { formatMs } from "../format/numbers.ts";
import { formatFullTime, formatTime } from "../format/times.ts";
import { Link } from "../location/link.tsx";
import { pathTo } from "../location/query.ts";

/** Calls as a table. On narrow screens, each row becomes a block. */
export function CallRows(props: {
  readonly calls: readonly CallRecord[];
  readonly caption: string;
  readonly empty: string;
  /** Leaves out who called. */
  readonly isBrief?: boolean;
}): JSX.Element {
  const { calls, caption, empty, isBrief = false } = props;
  if (calls.length === 0) return <p class="empty">{empty}</p>;
  return (
    <table class="rows">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Tool</th>
          <th scope="col">Outcome</th>
          <th scope="col">{isBrief ? "Error" : "Detail"}</th>
          <th scope="col" class="number">
            Took
          </th>
          {isBrief ? null : (
            <>
              <th scope="col">Client</th>
              <th scope="col">Principal</th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {calls.map((call) => (
          <tr key={call.id}>
            <td class="cell-time" title={formatFullTime(call.at)}>
              {formatTime(call.at)}
            </td>
            <td class="cell-tool">
              <Link href={pathTo("calls", call.id)} class="row-link">
                <b>{showHidden(call.tool)}</b>
              </Link>{" "}
              <span class="muted">{call.server}</span>
            </td>
            <td>
              <OutcomeBadge outcome={call.outcome} />
            </td>
            <td class="cell-text">{describe(call)}</td>
            <td class="number">{formatMs(call.durationMs)}</td>
            {isBrief ? null : (
              <>
                <CallerCell label="Client" name={call.clientName ?? call.userAgent} />
                <CallerCell label="Principal" name={call.principal} />
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A client or a principal. On narrow screens, one that is unknown is left out. */
function CallerCell({ label, name }: { readonly label: string; readonly name: string | undefined }): JSX.Element {
  return name === undefined ? (
    <td class="cell-none">–</td>
  ) : (
    <td class="cell-client" data-label={label}>
      {showHidden(name)}
    </td>
  );
}

function describe({ error, httpStatus }: CallRecord): string {
  if (error !== undefined) return showHidden(splitProblem(error).line);
  return httpStatus === undefined ? "" : `HTTP ${httpStatus}`;
}
