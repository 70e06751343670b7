import type { EventStream, KeepAlive } from "./event-stream.ts";
import { releaseTimer } from "./timer.ts";

/**
 * Sends comments on quiet streams, with a timer for each. In workers a timer ends with the request in which it was set, and
 * a request that waits for nothing of its own is taken for hung and cancelled: the timer is what keeps a quiet stream open.
 */
export class SeparateKeepAlive implements KeepAlive {
  readonly #intervalMs: number;
  readonly #timers = new Map<EventStream, ReturnType<typeof setInterval>>();

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  add(stream: EventStream): void {
    const timer = setInterval(() => stream.keepAlive(), this.#intervalMs);
    releaseTimer(timer);
    this.#timers.set(stream, timer);
  }

  delete(stream: EventStream): void {
    clearInterval(this.#timers.get(stream));
    this.#timers.delete(stream);
  }
}
