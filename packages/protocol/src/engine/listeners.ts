/**
 * Calls somebody who listens, and tells if that fails: at once, or later, as asynchronous functions do. Nobody waits for
 * those, so that their rejection would end the whole process.
 */
export function callListener(listener: () => unknown, failed: (error: unknown) => void): void {
  try {
    (listener() as Partial<Promise<unknown>> | undefined)?.then?.(undefined, failed);
  } catch (error) {
    failed(error);
  }
}

/** Who waits for which signal. */
const waiting = new WeakMap<EventTarget, Set<() => void>>();

/**
 * Calls back once a signal is aborted; at once, if it is already. Returns what takes that back.
 *
 * However many wait for one signal, it has one listener, and none when nobody does: Node takes the eleventh listener for a
 * leak and warns of it, and it is quite usual to make a thousand calls that one signal cancels.
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
