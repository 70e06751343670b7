import { TransportError, type ProtocolViolation } from "../errors.ts";

/** The most texts in a row, within a second, that are not messages. A peer that sends more is not an MCP server. */
const MAX_NOISE = 10_000;
const WINDOW_MS = 1000;

/** The number of texts that are reported one by one. Stray lines of a log are all alike. */
const TOLD_NOISE = 10;

/** The length of the quotation in the error, in characters. */
const QUOTED_LENGTH = 100;

/**
 * Limits the lines, frames or events of a server that are not messages. A few stray lines of a log do no harm; a server
 * that writes nothing else, as fast as it can, would keep the client busy with error reports.
 */
export class JunkLimit {
  #inARow = 0;
  /** The number of texts within the second that began at `#since`. */
  #burst = 0;
  #since = 0;

  /**
   * Whether a text need not be parsed: many in a row were not messages, and this one does not begin like JSON. Making an
   * error for a text takes far longer than reading it.
   */
  isSkipped(text: string): boolean {
    return this.#inARow >= TOLD_NOISE && !/^\s*[[{]/.test(text);
  }

  /** Whether to report this error. Errors with an id are always reported: a caller may wait for the response. */
  isReported(error: ProtocolViolation & { readonly id?: unknown }): boolean {
    return this.#inARow < TOLD_NOISE || error.id !== undefined;
  }

  /** Counts a message, which ends the row. */
  reset(): void {
    this.#inARow = 0;
    this.#burst = 0;
  }

  /** Counts a text that is not a message. Returns the reason to end the connection once the limit is reached. */
  add(text: string): TransportError | undefined {
    const now = performance.now();
    // Slow logs do no harm, however long they are.
    if (now - this.#since > WINDOW_MS) {
      this.#since = now;
      this.#burst = 0;
    }
    this.#inARow++;
    if (++this.#burst < MAX_NOISE) return undefined;
    const message =
      `${MAX_NOISE} texts in a row, within a second, were no messages; the last was ` +
      `${JSON.stringify(text.slice(0, QUOTED_LENGTH))}. Is this an MCP server? Its log belongs on stderr.`;
    return new TransportError("OVERLOADED", message);
  }
}
