import { TransportError } from "../errors.ts";
import type { ChannelReceiver } from "../transport/channel.ts";

/** How many frames in a row may be no messages within a second: more, and this is no server, or one whose output is of no use. */
const MAX_NOISE = 10_000;
const WINDOW_MS = 1000;

/** How many of them are told one by one. Stray lines of log are all alike. */
const TOLD_NOISE = 10;

/** How much of the last one is quoted, in characters. */
const QUOTED_LENGTH = 100;

/**
 * Bounds what a server may send a client that is no message. A few stray lines of log do no harm; a program that writes
 * nothing else, as fast as it can, would keep the client busy with complaints for as long as it runs.
 */
export class Noise {
  readonly #receiver: ChannelReceiver;
  readonly #hushed: ChannelReceiver;
  #inARow = 0;
  /** How many of them came within the second that began at this time. */
  #burst = 0;
  #since = 0;

  constructor(receiver: ChannelReceiver) {
    this.#receiver = receiver;
    this.#hushed = hush(receiver);
  }

  /** Who is to hear of the next frame. */
  get receiver(): ChannelReceiver {
    return this.#inARow < TOLD_NOISE ? this.#receiver : this.#hushed;
  }

  /** A message arrived after all. */
  end(): void {
    this.#inARow = 0;
    this.#burst = 0;
  }

  /** Something arrived that is no message. Returns the reason to end the connection, once it is too much. */
  add(text: string): TransportError | undefined {
    this.#inARow++;
    // A server that logs for hours does no harm; only one that writes nothing else, as fast as it can.
    if (this.#burst % 100 === 0) {
      const now = performance.now();
      if (now - this.#since > WINDOW_MS) {
        this.#since = now;
        this.#burst = 0;
      }
    }
    if (++this.#burst < MAX_NOISE) return undefined;
    const message =
      `${MAX_NOISE} lines in a row, within a second, were no messages, so the connection was ended. The last of them: ` +
      `${JSON.stringify(text.slice(0, QUOTED_LENGTH))}. Is this an MCP server? If so, its log belongs on stderr.`;
    return new TransportError("OVERLOADED", message);
  }
}

/** The same receiver, told of nothing wrong but what somebody may wait for. */
function hush(receiver: ChannelReceiver): ChannelReceiver {
  return {
    message: (message) => receiver.message(message),
    batch: (items) => receiver.batch(items),
    malformed: (error) => {
      if (error.id !== undefined) receiver.malformed(error);
    },
    closed: (reason) => receiver.closed(reason),
  };
}
