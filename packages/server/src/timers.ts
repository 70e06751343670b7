/** Timers that end something, and keep no process alive. */
import { LONGEST_TIMER } from "@toolwire/protocol/internal";

/** Lets the process exit while a timer runs. In Node a timer is an object that can do so; elsewhere it is a number. */
export function releaseTimer(timer: unknown): void {
  if (typeof timer === "object" && timer !== null) (timer as { unref?(): void }).unref?.();
}

/**
 * Calls back once at a time, in milliseconds since 1970, and soon if the time has passed. The time may be further away than timers
 * reach. Returns what ends the wait.
 */
export function whenReached(time: number, callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    const left = time - Date.now();
    // A timer may fire a little early, and the clock may have been changed meanwhile: it is read again each time.
    const isReached = !(left > 0);
    if (isReached && timer !== undefined) return callback();
    timer = setTimeout(wait, isReached ? 0 : Math.min(left, LONGEST_TIMER));
    releaseTimer(timer);
  };
  wait();
  return () => clearTimeout(timer);
}
