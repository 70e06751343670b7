import { TransportError } from "@toolwire/protocol";

/** How many cancellations are sent at once: thousands of calls may be cancelled in the same moment. */
export const MAX_CANCELLATIONS = 4;

/** How long a server may take to acknowledge a cancellation before the next one is sent. */
export const CANCELLATION_MS = 10_000;

/** How many answers to requests of the server are sent at once: each takes a connection. */
export const MAX_REPLIES = 64;

/** How many answers may wait: a server that sends more requests than this without taking the answers is broken. */
export const MAX_WAITING_REPLIES = 1024;

/** Runs a few tasks at a time, in the order in which they come; the others wait. */
export class ConcurrencyLimit<Key> {
  readonly #limit: number;
  #running = 0;
  /** The tasks that wait, each with a function that starts it, or drops it. */
  readonly #waiting = new Map<Key, (isStarted: boolean) => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Resolves when the task is done, or was dropped. Until it begins, it can be dropped by its key. Rejects with
   * `OVERLOADED` if `maxWaiting` tasks are waiting already.
   */
  async run(key: Key, task: () => Promise<void>, maxWaiting: number = Infinity): Promise<void> {
    if (this.#running < this.#limit) this.#running += 1;
    else if (this.#waiting.size >= maxWaiting) {
      throw new TransportError("OVERLOADED", `${maxWaiting} answers wait for a server that takes none of them.`);
    } else if (!(await new Promise<boolean>((resolve) => this.#waiting.set(key, resolve)))) return;
    try {
      await task();
    } finally {
      this.#startNext();
    }
  }

  /** Drops a task that is still waiting. Returns false if there is none: then it has begun, or never was. */
  drop(key: Key): boolean {
    this.#waiting.get(key)?.(false);
    return this.#waiting.delete(key);
  }

  #startNext(): void {
    for (const [key, start] of this.#waiting) {
      this.#waiting.delete(key);
      start(true);
      return;
    }
    this.#running -= 1;
  }
}
