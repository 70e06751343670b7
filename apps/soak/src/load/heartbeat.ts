import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";

/** How many calls may fail in a row before a timer of one millisecond has had to fire. */
const MAX_FAILURES_PER_BEAT = 1000;

/** How long the event loop may stand still before the run is given up, in milliseconds. */
const STANDSTILL_MS = 20_000;

/** How long a lane that has kept timers from firing waits after each failure from then on. */
const PACE_MS = 20;

/** Counts how often a timer fires, and ends the process if it never does. */
export class Heartbeat {
  readonly #beats = new Int32Array(new SharedArrayBuffer(4));
  readonly #timer = setInterval(() => Atomics.add(this.#beats, 0, 1), 1);
  readonly #watchdog = new Worker(new URL("watchdog.js", import.meta.url), {
    workerData: { beats: this.#beats, standstillMs: STANDSTILL_MS },
  });

  get beats(): number {
    return Atomics.load(this.#beats, 0);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#watchdog.terminate();
  }
}

/** Watches a loop that calls again at once whenever a call has failed: it must not keep timers from firing. */
export class InsistenceCheck {
  readonly #heartbeat: Pick<Heartbeat, "beats">;
  #beat = -1;
  #failures = 0;
  #isPaced = false;

  constructor(heartbeat: Pick<Heartbeat, "beats">) {
    this.#heartbeat = heartbeat;
  }

  /**
   * A call has failed. Resolves to true if so many have failed in a row without a timer in between that none would ever
   * have fired. From then on, this takes a while, so that the run can go on.
   */
  async failed(): Promise<boolean> {
    if (this.#isPaced) {
      await delay(PACE_MS);
      return false;
    }
    const { beats } = this.#heartbeat;
    this.#failures = beats === this.#beat ? this.#failures + 1 : 1;
    this.#beat = beats;
    this.#isPaced = this.#failures >= MAX_FAILURES_PER_BEAT;
    return this.#isPaced;
  }
}
