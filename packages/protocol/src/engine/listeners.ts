/**
 * Calls a listener of the application, and reports if it throws or rejects. Its promise is not awaited, so an unhandled
 * rejection would end the whole process.
 */
export function callListener(listener: () => unknown, failed: (error: unknown) => void): void {
  try {
    (listener() as Partial<Promise<unknown>> | undefined)?.then?.(undefined, failed);
  } catch (error) {
    failed(error);
  }
}

/** The callbacks that wait for each signal. */
const waiting = new WeakMap<EventTarget, Set<() => void>>();

/**
 * Calls back once a signal is aborted; at once, if it is already. Returns a function that removes the callback.
 *
 * All callbacks of one signal share one listener: Node warns of a leak at the eleventh listener, and a thousand calls may
 * well share a signal.
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const all = waiting.get(signal) ?? new Set();
  if (all.size === 0) {
    waiting.set(signal, all);
    signal.addEventListener("abort", callAll, { once: true });
  }
  all.add(callback);
  return () => {
    if (all.delete(callback) && all.size === 0) signal.removeEventListener("abort", callAll);
  };
}

function callAll({ target }: Event): void {
  const all = waiting.get(target!);
  waiting.delete(target!);
  for (const callback of all ?? []) callback();
}
