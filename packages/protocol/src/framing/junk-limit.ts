import { TransportError, type ProtocolViolation } from "../errors.ts";

/**
 * How many texts in a row may be no messages within a second: more, and this is no server, or one whose output is of no
 * use.
 */
const MAX_NOISE = 10_000;
const WINDOW_MS = 1000;

/** How many of them are told one by one. Stray lines of log are all alike. */
const TOLD_NOISE = 10;

/** How much of the last one is quoted, in characters. */
const QUOTED_LENGTH = 100;

/**
 * Bounds what a server may send a client that is no message, be it lines, frames or events. A few stray lines of log do no
 * harm; a server that writes nothing else, as fast as it can, would keep the client busy with complaints for as long as it
 * runs.
 */
export class Noise {
  #inARow = 0;
  /** How many of them came within the second that began at this time. */
  #burst = 0;
  #since = 0;

  /**
   * Whether a text is not worth reading: many in a row were no messages, and this one does not even begin like one. The errors
   * that say what is wrong with a text take far longer to make than the text takes to read.
   */
  skips(text: string): boolean {
    return this.#inARow >= TOLD_NOISE && !/^\s*[[{]/.test(text);
  }

  /** Whether somebody is to hear of this one. Of a message that somebody may wait for, in any case. */
  isTold(error: ProtocolViolation & { readonly id?: unknown }): boolean {
    return this.#inARow < TOLD_NOISE || error.id !== undefined;
  }

  /** A message arrived after all. */
  end(): void {
    this.#inARow = 0;
    this.#burst = 0;
  }

  /** Something arrived that is no message. Returns the reason to end the connection, once it is too much. */
  add(text: string): TransportError | undefined {
    const now = performance.now();
    // A server that logs for hours does no harm; only one that writes nothing else, as fast as it can.
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
