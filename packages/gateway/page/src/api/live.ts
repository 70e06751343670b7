import { useEffect, useState } from "preact/hooks";
import type { CallRecord } from "../../../src/log/call-record.ts";

const MOST = 200;

/** Calls that have come in since a list was opened, newest first. */
export interface LiveCalls {
  readonly calls: readonly CallRecord[];
  readonly state: "off" | "connecting" | "on";
  /** How many were left out, because they came faster than they could be shown. */
  readonly missed: number;
}

/** Follows the call log while `isOn`. `query` has the filters. */
export function useLiveCalls(isOn: boolean, query: string): LiveCalls {
  const [live, setLive] = useState<LiveCalls>({ calls: [], state: "off", missed: 0 });
  useEffect(() => {
    setLive({ calls: [], state: isOn ? "connecting" : "off", missed: 0 });
    if (!isOn) return undefined;
    const source = new EventSource(`/api/v1/calls/live?${query}`);
    let pending: CallRecord[] = [];
    let frame = 0;
    // A burst of calls is drawn once.
    const draw = (): void => {
      frame = 0;
      const newest = pending.toReversed();
      pending = [];
      setLive((before) => ({ ...before, calls: [...newest, ...before.calls].slice(0, MOST) }));
    };
    source.addEventListener("open", () => setLive((before) => ({ ...before, state: "on" })));
    source.addEventListener("error", () => setLive((before) => ({ ...before, state: "connecting" })));
    source.addEventListener("call", (event) => {
      pending.push(JSON.parse(event.data as string) as CallRecord);
      if (frame === 0) frame = requestAnimationFrame(draw);
    });
    source.addEventListener("missed", (event) => {
      const count = Number(event.data);
      setLive((before) => ({ ...before, missed: before.missed + count }));
    });
    return () => {
      source.close();
      cancelAnimationFrame(frame);
    };
  }, [isOn, query]);
  return live;
}
