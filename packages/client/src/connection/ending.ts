import type { Connection } from "./connection.ts";

/** How long a connection that takes no more messages may go on to deliver some, before it counts as lost. */
export const MAX_ENDING_MS = 2000;

/** The same for one whose server has said that it shuts down. It still does what it was asked before, and that may take long. */
export const MAX_SHUTDOWN_MS = 10_000;

/** A connection that takes no more messages. New calls wait for its successor. */
export class Ending {
  readonly connection: Connection;
  /** The next connection. Rejects if there is none. */
  readonly successor: Promise<Connection>;
  readonly #timer: ReturnType<typeof setTimeout>;
  #succeed!: (successor: Promise<Connection>) => void;

  /** `overdue` is called if it has not ended after so many milliseconds. */
  constructor(connection: Connection, ms: number, overdue: () => void) {
    this.connection = connection;
    this.successor = new Promise((resolve) => {
      this.#succeed = resolve;
    });
    // Prevents an unhandled rejection when no call waits.
    this.successor.catch(() => {});
    this.#timer = setTimeout(overdue, ms);
  }

  /** Ends the wait: the connection is gone, and `successor` takes its place. */
  succeed(successor: Promise<Connection>): void {
    clearTimeout(this.#timer);
    this.connection.over.abort();
    this.#succeed(successor);
  }
}

/** How many sessions in a row may be of no use before the next is waited for; how long then, doubled each time. */
const MAX_USELESS = 2;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Bounds how often a server is asked for new sessions that forgets each before it was of any use. A server that has merely
 * restarted is asked at once.
 */
export class Forgetfulness {
  #useless = 0;

  /** How many milliseconds to wait before the server is asked for a session in place of this one. */
  pauseAfter(lost: Connection): number {
    if (lost.wasUseful) this.#useless = 0;
    const pauses = this.#useless - MAX_USELESS;
    return pauses < 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** pauses, LONGEST_PAUSE_MS);
  }

  /** There is another session now. */
  renewed(): void {
    this.#useless++;
  }
}
