import type { Connection } from "./connection.ts";

/** How long a connection that takes no more messages may go on to deliver some, before it counts as lost. */
export const MAX_ENDING_MS = 2000;

/** The same for a server that has said that it shuts down: it still answers earlier requests, which may take long. */
export const MAX_SHUTDOWN_MS = 10_000;

/** A connection that takes no more messages. New calls wait for its successor. */
export class RetiringConnection {
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

/** How many sessions in a row may be useless before the client pauses; the first pause, which doubles, and the longest. */
const MAX_USELESS = 2;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Limits how often a server is asked for a new session that forgets each one before it was of use. A server that has merely
 * restarted is asked at once.
 */
export class SessionRenewals {
  #useless = 0;

  /** How many milliseconds to wait before a session is opened in place of this one. */
  pauseAfter(lost: Connection): number {
    if (lost.wasUseful) this.#useless = 0;
    const pauses = this.#useless - MAX_USELESS;
    return pauses < 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** pauses, LONGEST_PAUSE_MS);
  }

  /** Notes that there is a new session. */
  renewed(): void {
    this.#useless++;
  }
}
