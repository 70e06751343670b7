import { useEffect, useState } from "preact/hooks";
import { messageOf, read } from "./client.ts";

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
    const leave = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      try {
        const data = await read<T>(path, leave.signal);
        // The same object means that nothing has changed: nothing has to be drawn again.
        setState((before) =>
          before.path === path && before.data === data && before.error === undefined
            ? before
            : { path, data, error: undefined },
        );
      } catch (error) {
        if (leave.signal.aborted) return;
        setState((before) => ({ ...before, path, error: messageOf(error) }));
      }
      if (!leave.signal.aborted) timer = setTimeout(wait, interval);
    };
    const wait = (): void => {
      if (document.hidden) document.addEventListener("visibilitychange", wait, { once: true });
      else void load();
    };
    void load();
    return () => {
      leave.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", wait);
    };
  }, [path, interval, turn]);

  return { data: state.data, error: state.error, refresh: () => setTurn((before) => before + 1) };
}
