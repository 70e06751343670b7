import type { BusListener, BusMessage } from "@toolwire/server/cluster";

/** How many messages a node remembers, for how many milliseconds, and how many characters of replies to them. */
const MAX_REMEMBERED = 10_000;
const REMEMBERED_FOR = 60_000;
const MAX_REPLIES = 4 * 1024 * 1024;

interface Handled {
  readonly expires: number;
  /** JSON text, once there is one. */
  reply: string | undefined;
}

/** Messages for this node. One that is sent again is not handled again, but has the same reply. */
export class Inbox {
  readonly #listeners: ReadonlySet<BusListener>;
  /** The oldest first. All are kept for the same time, so those that have ended come first. */
  readonly #handled = new Map<string, Handled>();
  /** Characters of the replies that are remembered. */
  #length = 0;

  constructor(listeners: ReadonlySet<BusListener>) {
    this.#listeners = listeners;
  }

  /**
   * Hands a message to the listeners, and resolves to the reply as JSON text. Resolves to `undefined` if there is none to send: the
   * message is being handled already, or a listener has failed.
   */
  async receive(message: BusMessage, from: string): Promise<string | undefined> {
    const key = `${from} ${message.id}`;
    const now = performance.now();
    this.#forget(now);
    const known = this.#handled.get(key);
    if (known !== undefined) return known.reply;
    const handled: Handled = { expires: now + REMEMBERED_FOR, reply: undefined };
    this.#handled.set(key, handled);
    let reply: string;
    try {
      reply = await this.#ask(message, from);
    } catch {
      return undefined;
    }
    handled.reply = reply;
    if (this.#handled.get(key) === handled) this.#length += reply.length;
    return reply;
  }

  /** Asks all listeners at once. The first that returns something replies. */
  async #ask(message: BusMessage, from: string): Promise<string> {
    let reply: unknown;
    for (const listener of this.#listeners) {
      const own = listener.message(message, from);
      reply ??= own;
    }
    return JSON.stringify((await reply) ?? null);
  }

  #forget(now: number): void {
    for (const [key, { expires, reply }] of this.#handled) {
      if (expires > now && this.#handled.size < MAX_REMEMBERED && this.#length <= MAX_REPLIES) return;
      this.#handled.delete(key);
      this.#length -= reply?.length ?? 0;
    }
  }
}
