import { untilAborted } from "../../waiting.ts";

/** Work that many wait for and that runs once. It is given up when nobody waits for it any more. */
export class SharedWork<T> {
  #running: Running<T> | undefined;

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Joins the work that runs, or starts it. */
  async run(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    const running = (this.#running ??= this.#start(work));
    running.waiting += 1;
    try {
      return await untilAborted(running.result, signal);
    } finally {
      running.waiting -= 1;
      if (running.waiting === 0 && this.#running === running) {
        // A later caller must not join work that has been given up.
        this.#running = undefined;
        running.stop.abort();
      }
    }
  }

  #start(work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const stop = new AbortController();
    const result = work(stop.signal).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    const running: Running<T> = { result, stop, waiting: 0 };
    // Everybody who waits is told. If nobody does, a failure must not end the program.
    result.catch(() => {});
    return running;
  }
}

interface Running<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}
