import { useEffect, useState } from "preact/hooks";
import { followCalls, NOT_FOLLOWED, type LiveCalls, type LiveSurroundings } from "./follow-calls.ts";

const BROWSER: LiveSurroundings = {
  open: (path) => new EventSource(path),
  beforeFrame: (run) => {
    const frame = requestAnimationFrame(run);
    return () => cancelAnimationFrame(frame);
  },
};

/** Follows the call log while `isOn`. `query` has the filters. */
export function useLiveCalls(isOn: boolean, query: string): LiveCalls {
  const [live, setLive] = useState<LiveCalls>(NOT_FOLLOWED);
  useEffect(() => {
    if (isOn) return followCalls(query, setLive, BROWSER);
    setLive(NOT_FOLLOWED);
    return undefined;
  }, [isOn, query]);
  return live;
}
