import type { KeepAlive } from "./event-stream.ts";
import { releaseTimer } from "./timer.ts";

/**
 * Sends comments on quiet streams, with a timer for each. In workers a timer ends with the request in which it was set, and
 * a request that waits for nothing of its own is taken for hung and cancelled: the timer is what keeps a quiet stream open.
 */
export function keepAliveSeparately(intervalMs: number): KeepAlive {
  return (stream) => {
    const timer = setInterval(() => stream.keepAlive(), intervalMs);
    releaseTimer(timer);
    return () => clearInterval(timer);
  };
}
