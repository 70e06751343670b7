import type { JSX } from "preact";
import type { CallRecord, TimedStep } from "../../../src/log/call-record.ts";
import { formatMs, formatShare } from "../format/numbers.ts";

const STEPS: readonly { readonly id: TimedStep | "log" | "return"; readonly name: string; readonly meaning: string }[] =
  [
    { id: "validate", name: "Validate", meaning: "the tool exists, the caller may use it, the arguments fit" },
    { id: "resolve", name: "Resolve", meaning: "arguments become a request" },
    { id: "authorize", name: "Inject auth", meaning: "credentials are added" },
    { id: "call", name: "Call", meaning: "the request is sent, the response is read" },
    { id: "transform", name: "Transform", meaning: "the response becomes a result" },
    { id: "log", name: "Log", meaning: "the record is written" },
    { id: "return", name: "Return", meaning: "the caller gets the result" },
  ];

/** The seven steps of a call, one below the other, each as long as it took. */
export function TimeLine({ call }: { readonly call: CallRecord }): JSX.Element {
  const total = Math.max(call.durationMs, 0.001);
  let start = 0;
  const rows = STEPS.map(({ id, name, meaning }) => {
    const ms = id === "log" || id === "return" ? undefined : call.steps[id];
    const row = { id, name, meaning, ms, start };
    start += ms ?? 0;
    return row;
  });
  return (
    <>
      <div class="time-scale" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share}>{share === 0 ? "0" : formatMs(total * share)}</span>
        ))}
      </div>
      <ol class="time-line">
        {rows.map((row) => {
          const isAfter = row.id === "log" || row.id === "return";
          const isReached = isAfter || row.ms !== undefined;
          return (
            <li key={row.id} class={isReached ? "" : "step-skipped"}>
              <span class="step-name">
                <b>{row.name}</b>
                <span class="step-meaning">{row.meaning}</span>
              </span>
              <span class="step-track" aria-hidden="true">
                {isReached ? <StepBar call={call} row={row} total={total} isAfter={isAfter} /> : null}
              </span>
              <span class="step-time">
                {isAfter ? "done" : row.ms === undefined ? "not reached" : formatMs(row.ms)}
                {row.ms === undefined || row.ms / total < 0.005 ? null : (
                  <span class="muted"> {formatShare(Math.min(1, Math.round((row.ms / total) * 1000) / 1000))}</span>
                )}
              </span>
            </li>
          );
        })}
      </ol>
      {call.firstByteMs === undefined || call.steps.call === undefined ? null : (
        <p class="time-note">
          <i class="swatch swatch-wait" />
          waiting for the first byte, {formatMs(call.firstByteMs)} <i class="swatch swatch-p50 swatch-next" />
          reading the response, {formatMs(Math.max(0, call.steps.call - call.firstByteMs))}
        </p>
      )}
    </>
  );
}

function StepBar(props: {
  readonly call: CallRecord;
  readonly row: { readonly id: string; readonly ms: number | undefined; readonly start: number };
  readonly total: number;
  readonly isAfter: boolean;
}): JSX.Element {
  const { call, row, total, isAfter } = props;
  if (isAfter) return <span class="step-dot" style={{ left: "100%" }} />;
  const left = Math.min(99.5, (row.start / total) * 100);
  const width = Math.min(100 - left, ((row.ms ?? 0) / total) * 100);
  // The part of the call that waits for the first byte is lighter than the part that reads.
  const waiting =
    row.id === "call" && call.firstByteMs !== undefined ? Math.min(1, call.firstByteMs / (row.ms ?? 1)) : 0;
  return (
    <span class={`step-bar step-bar-${row.id}`} style={{ left: `${left}%`, width: `${width}%` }}>
      {waiting > 0 ? <span class="step-wait" style={{ width: `${waiting * 100}%` }} /> : null}
    </span>
  );
}
