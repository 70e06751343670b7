import { TransportError } from "@toolwire/protocol";
import { whenAborted } from "@toolwire/protocol/internal";

/** Timers take 31 bits of milliseconds, and mistake anything above for nothing at all. */
const LONGEST = 0x7fff_ffff;

/** Calls back after some time; never, if that is further away than any timer reaches. */
export function after(ms: number, callback: () => void): ReturnType<typeof setTimeout> | undefined {
  return ms > LONGEST ? undefined : setTimeout(callback, ms);
}

/**
 * Does something that has to end in time, or when one of the signals is aborted: then the signal that it gets is
 * aborted, and whoever waits for it is told at once, even if it takes a while to tidy up. If it fails by itself, so is
 * that signal, for what of it is still under way; with `leavesNothing`, also if it succeeds.
 */
export async function inTime<T>(
  ms: number,
  message: string,
  signals: readonly (AbortSignal | undefined)[],
  work: (limit: AbortSignal) => Promise<T>,
  leavesNothing?: true,
): Promise<T> {
  const stop = new AbortController();
  const timer = after(ms, () => stop.abort(new TransportError("TIMEOUT", message)));
  const unfollow = signals.map((signal) => follow(signal, stop));
  try {
    return await untilAborted(work(stop.signal), stop.signal);
  } catch (error) {
    stop.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    for (const forget of unfollow) forget?.();
    if (leavesNothing) stop.abort();
  }
}

/**
 * Aborts whenever the signal is aborted. Returns what ends that, so that nothing is left behind: of `AbortSignal.any`, Node
 * 20 and 22 keep a trace at each signal for as long as that lives.
 */
export function follow(signal: AbortSignal | undefined, stop: AbortController): (() => void) | undefined {
  return signal && whenAborted(signal, () => stop.abort(signal.reason));
}

/** Waits, unless the signal is aborted first. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, LONGEST));
  });
  return untilAborted(time, signal).finally(() => clearTimeout(timer));
}

/** Waits until a signal is aborted, unless another one is first, which rejects. Neither keeps a trace of it. */
export function untilOver(signal: AbortSignal, limit: AbortSignal): Promise<void> {
  let forget: (() => void) | undefined;
  const over = new Promise<void>((resolve) => {
    forget = whenAborted(signal, resolve);
  });
  return untilAborted(over, limit).finally(forget);
}

/** Waits for a promise, but no longer than the signal allows. What comes too late is handed to `discard`. */
export function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  discard?: (late: T) => void,
): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const forget = whenAborted(signal, () => {
      reject(signal.reason as Error);
      promise.then(discard, () => {});
    });
    promise.then(resolve, reject).finally(forget);
  });
}
