import { TransportError } from "@toolwire/protocol";

/** Timers take 31 bits of milliseconds, and mistake anything above for nothing at all. */
export const LONGEST = 0x7fff_ffff;

/** Calls back after some time; never, if that is further away than any timer reaches. */
export function after(ms: number, callback: () => void): ReturnType<typeof setTimeout> | undefined {
  return ms > LONGEST ? undefined : setTimeout(callback, ms);
}

/** Does something that has to end in time, or when one of the signals is aborted: then the signal that it gets is aborted. */
export async function inTime<T>(
  ms: number,
  message: string,
  signals: readonly (AbortSignal | undefined)[],
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = after(ms, () => late.abort(new TransportError("TIMEOUT", message)));
  try {
    return await work(AbortSignal.any([late.signal, ...signals.filter((signal) => signal !== undefined)]));
  } finally {
    clearTimeout(timer);
  }
}

/** Waits, unless the signal is aborted first. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return untilAborted(time, signal).finally(() => clearTimeout(timer));
}

/** Waits for a promise, but no longer than the signal allows. What comes too late is handed to `discard`. */
export function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  discard?: (late: T) => void,
): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
      promise.then(discard, () => {});
    };
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
