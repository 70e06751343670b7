import { Roster } from "@toolwire/protocol";
import type { EventStream, KeepAlive } from "../http/event-stream.ts";
import { releaseTimer } from "../http/timer.ts";

/** Sends comments on quiet streams, with one timer for all of them: most streams are over long before it fires. */
export class SharedKeepAlive implements KeepAlive {
  readonly #intervalMs: number;
  readonly #streams = new Roster<EventStream>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#keepAlive(), this.#intervalMs);
    releaseTimer(this.#timer);
  }

  delete(stream: EventStream): void {
    this.#streams.delete(stream);
  }

  #keepAlive(): void {
    for (const stream of this.#streams.list()) stream.keepAlive();
    // Streams come and go quickly, so the timer outlives them for a while.
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
