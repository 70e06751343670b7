import type { Link } from "../client/client.ts";

/** What a subscriber tells. */
export interface SubscriberEvents {
  hear(message: string): void;
  /** It listens again after its connection was lost. What was published meanwhile is lost. */
  resumed(): void;
}

/** A connection that hears what is published for this node. The client subscribes again by itself; one that fell silent is replaced. */
export class Subscriber {
  readonly #given: Link;
  readonly #channels: readonly string[];
  readonly #events: SubscriberEvents;
  #current: Link | undefined;

  constructor(given: Link, channels: readonly string[], events: SubscriberEvents) {
    this.#given = given;
    this.#channels = channels;
    this.#events = events;
  }

  /** Connects and subscribes. Goes on to try when the promise is not awaited any more. */
  async open(): Promise<void> {
    const link = this.#given.duplicate();
    this.#current = link;
    await link.open();
    if (this.#current !== link) return;
    await link.subscribe(this.#channels, (message) => {
      if (this.#current === link) this.#events.hear(message);
    });
    link.onReady(() => {
      if (this.#current === link) this.#events.resumed();
    });
  }

  /** Gives up a connection on which nothing arrives, and makes another. */
  replace(): void {
    this.close();
    this.open().then(
      () => this.#events.resumed(),
      () => {},
    );
  }

  close(): void {
    this.#current?.destroy();
    this.#current = undefined;
  }
}
