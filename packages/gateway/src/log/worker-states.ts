import type { LogStatus } from "./call-log.ts";

/** The states of the logs of workers, which count to that of the process that has started them. */
export class WorkerStates {
  readonly #states = new Map<number, LogStatus>();
  /** Counts of workers that have ended. */
  #lost = 0;
  #skipped = 0;
  #written = 0;

  set(worker: number, state: LogStatus): void {
    this.#states.set(worker, state);
  }

  /** A worker has ended. What was counted stays, and what waits is for the next one. */
  end(worker: number): void {
    const state = this.#states.get(worker);
    if (state === undefined) return;
    this.#states.delete(worker);
    this.#lost += state.lost;
    this.#skipped += state.skipped;
    this.#written += state.written;
  }

  /** Adds all states to one. */
  addTo(own: LogStatus): LogStatus {
    const states = [own, ...this.#states.values()];
    const sum = (of: (state: LogStatus) => number): number => states.reduce((total, state) => total + of(state), 0);
    const error = states.find((state) => state.error !== undefined)?.error;
    return {
      ...own,
      isHealthy: states.every(({ isHealthy }) => isHealthy),
      waiting: sum(({ waiting }) => waiting),
      spoolBytes: sum(({ spoolBytes }) => spoolBytes),
      lost: sum(({ lost }) => lost) + this.#lost,
      skipped: sum(({ skipped }) => skipped) + this.#skipped,
      written: sum(({ written }) => written) + this.#written,
      notices: states.flatMap(({ notices }) => notices),
      ...(error !== undefined && { error }),
    };
  }
}
