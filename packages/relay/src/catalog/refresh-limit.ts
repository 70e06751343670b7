/** The shortest and the longest time between two listings, in milliseconds. */
const SHORTEST = 1000;
const LONGEST = 60_000;

/**
 * Lists again when an upstream announces changes, but only as often as is reasonable: at once after a quiet time, and ever more
 * seldom while changes keep being announced. A flood of announcements costs one listing a minute.
 */
export class RefreshLimit {
  readonly #refresh: () => Promise<void>;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #interval = SHORTEST;
  #nextAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(refresh: () => Promise<void>) {
    this.#refresh = refresh;
  }

  /** Lists now, or resolves with the listing that is under way. */
  now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWanted = false;
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Lists as soon as it is time to. */
  request(): void {
    this.#isWanted = true;
    if (this.#running !== undefined || this.#timer !== undefined) return;
    const wait = this.#nextAt - performance.now();
    if (wait <= 0) {
      this.#interval = wait < -10 * SHORTEST ? SHORTEST : this.#interval;
      void this.now();
      return;
    }
    this.#timer = setTimeout(() => void this.now(), wait);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #run(): Promise<void> {
    try {
      await this.#refresh();
    } finally {
      this.#running = undefined;
      this.#nextAt = performance.now() + this.#interval;
      this.#interval = Math.min(this.#interval * 2, LONGEST);
      if (this.#isWanted) this.request();
    }
  }
}
