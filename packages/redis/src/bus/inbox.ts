import type { BusListener, BusMessage } from "@toolwire/server/cluster";

/** How many messages a node remembers, for how many milliseconds, and how many characters of replies to them. */
const MAX_REMEMBERED = 10_000;
const REMEMBERED_FOR = 60_000;
const MAX_REPLIES = 4 * 1024 * 1024;

interface Handled {
  /** As JSON text. Never resolves if a listener has failed: then nobody replies. */
  readonly reply: Promise<string>;
  readonly at: number;
  length: number;
}

/** Messages for a node. One that arrives again is not handled again, but has the same reply. */
export class Inbox {
  readonly listeners: Set<BusListener> = new Set<BusListener>();
  /** The oldest first. */
  readonly #handled = new Map<string, Handled>();
  readonly #now: () => number;
  #length = 0;

  /** `now` is a clock that returns milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Hands a message to the listeners, and returns the reply as JSON text. */
  receive(message: BusMessage, from: string): Promise<string> {
    const key = `${from} ${message.id}`;
    const known = this.#handled.get(key);
    if (known !== undefined) return known.reply;
    const handled: Handled = { reply: this.#handle(message, from), at: this.#now(), length: 0 };
    this.#handled.set(key, handled);
    this.#forget();
    handled.reply.then(
      ({ length }) => {
        if (this.#handled.get(key) !== handled) return;
        handled.length = length;
        this.#length += length;
        this.#forget();
      },
      () => {},
    );
    return handled.reply;
  }

  #forget(): void {
    const oldest = this.#now() - REMEMBERED_FOR;
    for (const [key, { at, length }] of this.#handled) {
      const isTooMuch = this.#handled.size > MAX_REMEMBERED || this.#length > MAX_REPLIES;
      if (!isTooMuch && at > oldest) return;
      this.#handled.delete(key);
      this.#length -= length;
    }
  }

  /** Asks all listeners at once. */
  async #handle(message: BusMessage, from: string): Promise<string> {
    let reply: unknown;
    for (const listener of this.listeners) {
      const own = listener.message(message, from);
      reply ??= own;
    }
    return JSON.stringify((await reply) ?? null);
  }
}
