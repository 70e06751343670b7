/** A connection whose life is checked. */
export interface Beating {
  /** Grows with every sign of life. */
  signs(): number;
  /** Asks for a sign of life. */
  ping(): void;
  /** Ends the connection: no sign of life came. */
  terminate(): void;
}

/**
 * Notices connections whose other end vanished without a word: a laptop that went to sleep, a NAT that forgot. Pings
 * all of them once an interval, and ends what has been silent since the last ping. One timer for any number of them.
 */
export class Heartbeat {
  /** Milliseconds from one ping to the next. */
  readonly intervalMs: number;
  /** The signs of life of each connection, as of the last ping. */
  readonly #signs = new Map<Beating, number>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
  }

  watch(connection: Beating): void {
    this.#signs.set(connection, NaN);
    this.#timer ??= setInterval(() => this.#check(), this.intervalMs);
  }

  /** The connection has ended. */
  forget(connection: Beating): void {
    this.#signs.delete(connection);
    if (this.#signs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    for (const [connection, before] of this.#signs) {
      const signs = connection.signs();
      if (signs === before) connection.terminate();
      else {
        this.#signs.set(connection, signs);
        connection.ping();
      }
    }
  }
}
