import { follow, wait } from "../waiting.ts";

/** The shortest time between two looks, however often somebody asks for one. */
const SHORTEST_PAUSE = 50;

/** Says when to look at a task again: after some time, or sooner if something may have changed. */
export class Alarm {
  readonly #signal: AbortSignal;
  #wake: AbortController | undefined;
  /** Whether it is worthwhile to look before the time. */
  #isUrgent = false;
  /** Whether there is something to handle, without another look. */
  #hasNews = false;
  /** When the task was looked at last. */
  #lastLook = 0;

  /** When the signal aborts, waiting rejects with its reason. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get lastLook(): number {
    return this.#lastLook;
  }

  /** Something may have changed: it is time to look. */
  ring(): void {
    this.#isUrgent = true;
    this.#wake?.abort();
  }

  /** Something is known already: it is time to handle it. */
  tell(): void {
    this.#hasNews = true;
    this.#wake?.abort();
  }

  /** The task is being looked at. */
  looked(): void {
    this.#lastLook = Date.now();
    this.#isUrgent = false;
  }

  /** Waits. Resolves to whether it is time to look; otherwise there is something to handle. */
  async wait(ms: number): Promise<boolean> {
    if (!this.#isUrgent && !this.#hasNews) {
      const wake = new AbortController();
      const unfollow = follow(this.#signal, wake);
      this.#wake = wake;
      await wait(ms, wake.signal).catch(() => undefined);
      this.#wake = undefined;
      unfollow?.();
      this.#signal.throwIfAborted();
    }
    if (this.#hasNews) {
      this.#hasNews = false;
      return false;
    }
    const sinceLook = Date.now() - this.#lastLook;
    // A server that announces changes all the time is not asked all the time.
    if (sinceLook < SHORTEST_PAUSE) await wait(SHORTEST_PAUSE - sinceLook, this.#signal);
    return true;
  }
}
