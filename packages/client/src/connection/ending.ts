import type { Connection } from "./connection.ts";

/** How long a connection that takes no more messages may go on to deliver some, before it counts as lost. */
export const MAX_ENDING_MS = 2000;

/** The same for one whose server has said that it shuts down. It still does what it was asked before, and that may take long. */
export const MAX_SHUTDOWN_MS = 10_000;

/** A connection that takes no more messages. Whoever has some waits for the one that comes after it. */
export class Ending {
  readonly connection: Connection;
  /** What comes after it. */
  readonly successor: Promise<Connection>;
  readonly #timer: ReturnType<typeof setTimeout>;
  #succeed!: (successor: Promise<Connection>) => void;

  /** `overdue` is called if it has not ended after so many milliseconds. */
  constructor(connection: Connection, ms: number, overdue: () => void) {
    this.connection = connection;
    this.successor = new Promise((resolve) => {
      this.#succeed = resolve;
    });
    // Nobody may be waiting.
    this.successor.catch(() => {});
    this.#timer = setTimeout(overdue, ms);
  }

  /** It has ended, and this comes after it. */
  succeed(successor: Promise<Connection>): void {
    clearTimeout(this.#timer);
    this.connection.over.abort();
    this.#succeed(successor);
  }
}
