import { useEffect, useState } from "preact/hooks";
import { read } from "./client.ts";
import { keepReading } from "./keep-reading.ts";

/** The latest state of a resource that is polled. */
export interface Polled<T> {
  readonly data: T | undefined;
  /** Why the last attempt failed. What was read before stays. */
  readonly error: string | undefined;
  /** Reads again at once, as after a change. */
  readonly refresh: () => void;
}

const INTERVAL = 5000;

/** Reads a path of the admin API every five seconds, while the page is visible. */
export function usePoll<T>(path: string | undefined, interval: number = INTERVAL): Polled<T> {
  const [state, setState] = useState<{ path: string | undefined; data: T | undefined; error: string | undefined }>({
    path,
    data: undefined,
    error: undefined,
  });
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    if (path === undefined) return undefined;
    return keepReading({
      read: (signal) => read<T>(path, signal),
      interval,
      page: document,
      // The same object means that nothing has changed: nothing has to be drawn again.
      onData: (data) =>
        setState((before) =>
          before.path === path && before.data === data && before.error === undefined
            ? before
            : { path, data, error: undefined },
        ),
      onError: (error) => setState((before) => ({ ...before, path, error })),
    });
  }, [path, interval, turn]);

  return { data: state.data, error: state.error, refresh: () => setTurn((before) => before + 1) };
}
