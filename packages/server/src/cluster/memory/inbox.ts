import type { BusListener, BusMessage } from "../bus.ts";
import { ExpiringMap, type Clock } from "./expiring-map.ts";

/** How many messages a node remembers, for how many milliseconds, and how many characters of replies to them. */
const MAX_REMEMBERED = 10_000;
const REMEMBERED_FOR = 60_000;
const MAX_REPLIES = 4 * 1024 * 1024;

interface Handled {
  /** As JSON text. Never settles if a listener has failed: then nobody replies. */
  readonly reply: Promise<string>;
  length: number;
}

/** Messages for a node. One that is sent again is not handled again, but has the same reply. */
export class Inbox {
  readonly listeners: Set<BusListener> = new Set<BusListener>();
  readonly #handled: ExpiringMap<Handled>;
  /** Characters of the replies that are remembered. */
  #length = 0;

  constructor(now: Clock) {
    this.#handled = new ExpiringMap(now, MAX_REMEMBERED, (_key, { length }) => (this.#length -= length));
  }

  /** Hands a message to the listeners, and returns the reply. `body` is JSON text. */
  receive({ id, kind, body }: BusMessage & { readonly body: string }, from: string): Promise<string> {
    const key = `${from} ${id}`;
    const known = this.#handled.get(key);
    if (known !== undefined) return known.reply;
    const handled: Handled = { reply: this.#handle({ id, kind, body: JSON.parse(body) as unknown }, from), length: 0 };
    if (!this.#handled.hasRoom()) this.#handled.deleteOldest();
    this.#handled.set(key, handled, REMEMBERED_FOR);
    handled.reply.then(
      ({ length }) => {
        if (this.#handled.get(key) !== handled) return;
        handled.length = length;
        this.#length += length;
        while (this.#length > MAX_REPLIES) this.#handled.deleteOldest();
      },
      () => {},
    );
    return handled.reply;
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
