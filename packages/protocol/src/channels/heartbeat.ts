/** A connection whose life is checked. */
export interface Beating {
  /** Asks for a sign of life. */
  ping(): void;
  /** Ends the connection: no sign of life came. */
  terminate(): void;
}

/** Where a connection reports its signs of life. */
export interface Pulse {
  /** Something arrived. */
  readonly beat: () => void;
  /** The connection has ended. */
  readonly stop: () => void;
}

/**
 * Notices connections whose other end vanished without a word: a laptop that went to sleep, a NAT that forgot. Pings
 * all of them once an interval, and ends what has been silent since the last ping. One timer for any number of them.
 */
export class Heartbeat {
  /** Milliseconds from one ping to the next. */
  readonly intervalMs: number;
  readonly #quiet = new Map<Beating, boolean>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
  }

  watch(connection: Beating): Pulse {
    this.#quiet.set(connection, false);
    this.#timer ??= setInterval(() => this.#check(), this.intervalMs);
    return {
      beat: () => {
        if (this.#quiet.get(connection) === true) this.#quiet.set(connection, false);
      },
      stop: () => {
        this.#quiet.delete(connection);
        if (this.#quiet.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  #check(): void {
    for (const [connection, wasQuiet] of this.#quiet) {
      if (wasQuiet) {
        connection.terminate();
      } else {
        this.#quiet.set(connection, true);
        connection.ping();
      }
    }
  }
}
