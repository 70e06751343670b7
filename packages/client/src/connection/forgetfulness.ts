import type { Connection } from "./connection.ts";

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
