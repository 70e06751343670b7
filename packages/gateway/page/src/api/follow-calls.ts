import type { CallRecord } from "../../../src/log/call-record.ts";

/** The most calls that a live list keeps. */
const MOST = 200;

/** Calls that have come in since a list was opened, newest first. */
export interface LiveCalls {
  readonly calls: readonly CallRecord[];
  readonly state: "off" | "connecting" | "on";
  /** How many were left out, because they came faster than they could be shown. */
  readonly missed: number;
}

/** A source of events, as browsers have it. */
export interface LiveSource {
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void;
  close(): void;
}

/** How a list is followed: a browser, or a test in its place. */
export interface LiveSurroundings {
  /** Opens the stream at a path. */
  readonly open: (path: string) => LiveSource;
  /** Runs a function before the next frame is drawn. Returns what cancels it. */
  readonly beforeFrame: (run: () => void) => () => void;
}

/** The state of a list that is not followed. */
export const NOT_FOLLOWED: LiveCalls = { calls: [], state: "off", missed: 0 };

/** Follows the call log, and tells each new state. `query` has the filters. Returns what ends it. */
export function followCalls(
  query: string,
  tell: (live: LiveCalls) => void,
  { open, beforeFrame }: LiveSurroundings,
): () => void {
  let live: LiveCalls = { ...NOT_FOLLOWED, state: "connecting" };
  let pending: CallRecord[] = [];
  let cancelFrame: (() => void) | undefined;
  const set = (change: Partial<LiveCalls>): void => {
    live = { ...live, ...change };
    tell(live);
  };
  // A burst of calls is drawn once.
  const draw = (): void => {
    cancelFrame = undefined;
    const calls = [...pending.toReversed(), ...live.calls].slice(0, MOST);
    pending = [];
    set({ calls });
  };
  tell(live);
  const source = open(`/api/v1/calls/live?${query}`);
  source.addEventListener("open", () => set({ state: "on" }));
  source.addEventListener("error", () => set({ state: "connecting" }));
  source.addEventListener("call", ({ data }) => {
    pending.push(JSON.parse(data as string) as CallRecord);
    cancelFrame ??= beforeFrame(draw);
  });
  source.addEventListener("missed", ({ data }) => set({ missed: live.missed + Number(data) }));
  return () => {
    source.close();
    cancelFrame?.();
  };
}
