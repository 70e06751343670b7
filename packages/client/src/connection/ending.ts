import type { Connection } from "./connection.ts";

/** How long a connection that takes no more messages may go on to deliver some, before it counts as lost. */
const MAX_ENDING_MS = 2000;

/** A connection that takes no more messages. Whoever has some waits for the one that comes after it. */
export class Ending {
  readonly connection: Connection;
  /** What comes after it. */
  readonly successor: Promise<Connection>;
  readonly #timer: ReturnType<typeof setTimeout>;
  #succeed!: (successor: Promise<Connection>) => void;

  /** `overdue` is called if it does not end soon. */
  constructor(connection: Connection, overdue: () => void) {
    this.connection = connection;
    this.successor = new Promise((resolve) => {
      this.#succeed = resolve;
    });
    // Nobody may be waiting.
    this.successor.catch(() => {});
    this.#timer = setTimeout(overdue, MAX_ENDING_MS);
  }

  /** It has ended, and this comes after it. */
  succeed(successor: Promise<Connection>): void {
    clearTimeout(this.#timer);
    this.connection.over.abort();
    this.#succeed(successor);
  }
}
