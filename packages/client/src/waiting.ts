import { TransportError } from "@toolwire/protocol";
import { LONGEST_TIMER, whenAborted } from "@toolwire/protocol/internal";

/** The milliseconds so far in which time did not count, as while somebody logs in. */
export type PausedTime = (() => number) | undefined;

/** A timer that can be given up. */
export interface Timer {
  clear(): void;
}

/** How much longer a timer waits whose time is paused at the moment. */
const PAUSED_STEP_MS = 100;

/** Calls back after some time, without the time that was paused; never, if no timer can wait that long. */
export function after(ms: number, callback: () => void, pausedTime?: PausedTime): Timer | undefined {
  if (ms > LONGEST_TIMER) return undefined;
  let paused = pausedTime?.() ?? 0;
  const fire = (): void => {
    const pause = (pausedTime?.() ?? 0) - paused;
    paused += pause;
    if (pause <= 0) callback();
    else timer = setTimeout(fire, Math.min(Math.max(pause, PAUSED_STEP_MS), LONGEST_TIMER));
  };
  let timer = setTimeout(fire, ms);
  return { clear: () => clearTimeout(timer) };
}

/**
 * Runs work that has to end in time, or when one of the signals is aborted. Then the signal that the work gets is aborted, and
 * the promise rejects at once, even if the work takes a while to stop. The signal is also aborted if the work fails, for those
 * parts of it that are still running; with `leavesNothing`, also if it succeeds. Paused time does not count.
 */
export async function inTime<T>(
  ms: number,
  message: string,
  signals: readonly (AbortSignal | undefined)[],
  work: (limit: AbortSignal) => Promise<T>,
  leavesNothing?: boolean,
  pausedTime?: PausedTime,
): Promise<T> {
  const stop = new AbortController();
  const timer = after(ms, () => stop.abort(new TransportError("TIMEOUT", message)), pausedTime);
  const unfollow = signals.map((signal) => follow(signal, stop));
  try {
    return await untilAborted(work(stop.signal), stop.signal);
  } catch (error) {
    stop.abort(error);
    throw error;
  } finally {
    timer?.clear();
    for (const forget of unfollow) forget?.();
    if (leavesNothing) stop.abort();
  }
}

/**
 * Aborts when the signal is aborted. Returns a function that ends this. `AbortSignal.any` is not used, because Node 20 and 22
 * keep memory for it as long as the signal lives.
 */
export function follow(signal: AbortSignal | undefined, stop: AbortController): (() => void) | undefined {
  return signal && whenAborted(signal, () => stop.abort(signal.reason));
}

/** Waits, unless the signal is aborted first. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER));
  });
  return untilAborted(time, signal).finally(() => clearTimeout(timer));
}

/** Waits until a signal is aborted. Rejects if `limit` is aborted first. Leaves no listeners on either. */
export function untilOver(signal: AbortSignal, limit: AbortSignal): Promise<void> {
  let forget: (() => void) | undefined;
  const over = new Promise<void>((resolve) => {
    forget = whenAborted(signal, resolve);
  });
  return untilAborted(over, limit).finally(forget);
}

/** Waits for a promise until the signal is aborted. A value that comes later is passed to `discard`. */
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
