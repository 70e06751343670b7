import { TransportError } from "@toolwire/protocol";

/** How many cancellations are on their way at once: thousands of calls may be given up in the same moment. */
export const MAX_CANCELLATIONS = 4;

/** How long a server may take to acknowledge a cancellation before the next is sent. */
export const CANCELLATION_MS = 10_000;

/** How many answers to the server are on their way at once: each takes a connection, and one text may ask a thousand times. */
export const MAX_REPLIES = 64;

/** Beyond how many that wait there is no use in another answer: a server that asks so much, but takes none, wants none. */
export const MAX_WAITING_REPLIES = 1024;

/** Does a few things at a time, in the order in which they come; the others wait for their turn. */
export class Lane<Key> {
  readonly #width: number;
  #busy = 0;
  /** Those that wait, and how to tell them whether their turn has come or never will. */
  readonly #waiting = new Map<Key, (hasTurn: boolean) => void>();

  constructor(width: number) {
    this.#width = width;
  }

  /**
   * Resolves when the work is done, or is not to be done any more. Until it begins, it can be dropped by its key. Rejects if
   * as much as `maxWaiting` is waiting already.
   */
  async run(key: Key, work: () => Promise<void>, maxWaiting: number = Infinity): Promise<void> {
    if (this.#busy < this.#width) this.#busy += 1;
    else if (this.#waiting.size >= maxWaiting) {
      throw new TransportError("OVERLOADED", "The server takes no answers.");
    } else if (!(await new Promise<boolean>((resolve) => this.#waiting.set(key, resolve)))) return;
    try {
      await work();
    } finally {
      this.#leave();
    }
  }

  /** Forgets what is still waiting. Returns false if there is no such thing: then it has begun, or never was. */
  drop(key: Key): boolean {
    this.#waiting.get(key)?.(false);
    return this.#waiting.delete(key);
  }

  /** The place is handed on, or free. */
  #leave(): void {
    for (const [key, begin] of this.#waiting) {
      this.#waiting.delete(key);
      begin(true);
      return;
    }
    this.#busy -= 1;
  }
}
