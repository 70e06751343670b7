/** How many messages may wait until the other process reads them. */
const MAX_WAITING = 10_000;

/** Sends a message to another process, and calls back once it has left this one. */
export type Send = (message: object, sent: () => void) => void;

/** Messages on their way to another process, which may have stopped reading. */
export class Outbox {
  readonly #send: Send;
  #waiting = 0;
  #isOpen = true;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Sends a message, if there is room. Returns whether it was sent. */
  post(message: object): boolean {
    if (!this.#isOpen || this.#waiting >= MAX_WAITING) return false;
    this.#waiting += 1;
    this.#send(message, () => (this.#waiting -= 1));
    return true;
  }

  close(): void {
    this.#isOpen = false;
  }
}
