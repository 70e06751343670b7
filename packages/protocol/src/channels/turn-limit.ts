/** The most messages, and bytes, of one connection that are handled before others have their turn. */
export const TURN_MESSAGES = 256;
const TURN_BYTES = 256 * 1024;

/** What a {@link TurnLimit} needs of a connection, which delivers items: texts, or events. */
export interface TurnFlow<T> {
  /** Handles one frame, line or event. */
  deliver(item: T): void;
  /**
   * Stops reading, and calls back in the next turn of the event loop. Returns `false` if the platform cannot: then
   * everything is delivered as it comes.
   */
  pause(next: () => void): boolean;
  /** Reads on. */
  resume(): void;
}

/**
 * Limits what one connection has delivered in a turn of the event loop, so that a peer that never stops sending cannot keep
 * the whole process busy. What has been read beyond the limit waits, in its order, and no more is read until it is delivered:
 * the peer then finds its pipe or connection full.
 *
 * A connection that sends less pays for a number that is counted up, and for one pause in {@link TURN_MESSAGES} messages.
 */
export class TurnLimit<T extends string | object> {
  readonly #flow: TurnFlow<T>;
  #messages = 0;
  #bytes = 0;
  #isPaused = false;
  /** What waits for its turn: items, and what has to be done after them. Those before `#next` are done. */
  #waiting: (T | (() => void))[] = [];
  #next = 0;

  constructor(flow: TurnFlow<T>) {
    this.#flow = flow;
  }

  /** Whether reading has stopped until the next turn. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Delivers an item: now, or after those that wait. */
  deliver(item: T): void {
    if (this.#isPaused) {
      this.#waiting.push(item);
      return;
    }
    this.#messages += 1;
    if (this.#messages >= TURN_MESSAGES) this.#pause();
    this.#flow.deliver(item);
  }

  /** Does something after all items before it: now, if none waits. */
  after(work: () => void): void {
    if (this.#isPaused) this.#waiting.push(work);
    else work();
  }

  /** Counts bytes that have been read. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > TURN_BYTES && !this.#isPaused) this.#pause();
  }

  #pause(): void {
    this.#messages = 0;
    this.#bytes = 0;
    this.#isPaused = this.#flow.pause(this.#continue);
  }

  readonly #continue = (): void => {
    this.#messages = 0;
    try {
      while (this.#next < this.#waiting.length && this.#messages < TURN_MESSAGES) this.#doNext();
    } finally {
      if (this.#next < this.#waiting.length) this.#flow.pause(this.#continue);
      else {
        this.#waiting = [];
        this.#next = 0;
        this.#isPaused = false;
        this.#flow.resume();
      }
    }
  };

  #doNext(): void {
    const item = this.#waiting[this.#next]!;
    this.#next += 1;
    this.#messages += 1;
    if (typeof item === "function") item();
    else this.#flow.deliver(item);
  }
}
