/** Which list has changed. */
type ListName = "tools" | "prompts" | "resources";

/** A list that has changed, or a resource whose contents have. */
export type Change = { readonly list: ListName } | { readonly uri: string };

/** Somebody who wants to hear of changes: a `subscriptions/listen` stream, or a legacy session. */
export interface Listener {
  /** Whether a change is of interest. */
  wants(change: Change): boolean;
  /** Sends a notification. A promise comes back if the client reads too slowly. Never fails. */
  send(method: string, params: object | undefined): void | Promise<void>;
  /** Ends it in the way of its era. */
  end(): void;
  /** The connection that it belongs to, if it can be ended with it. */
  readonly connection?: object;
}

/**
 * Carries changes to everybody who wants to hear of them. What changes several times in one turn is told once; to a
 * client that reads slowly, what piles up is told once as well, so that nobody can make the memory grow.
 */
export class Subscriptions {
  readonly #listeners = new Map<Listener, Backlog>();
  /** What is to be told at the end of this turn. */
  #changes = new Changes();

  add(listener: Listener): void {
    if (!this.#listeners.has(listener)) this.#listeners.set(listener, new Backlog(listener));
  }

  delete(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** Something has changed. */
  announce(change: Change): void {
    if (this.#listeners.size === 0) return;
    if (this.#changes.size === 0) queueMicrotask(() => this.#tell());
    this.#changes.note(change);
  }

  /** Ends all listeners, or those of one connection. */
  end(connection?: object): void {
    this.#tell();
    for (const listener of Array.from(this.#listeners.keys())) {
      if (connection === undefined || listener.connection === connection) listener.end();
    }
  }

  #tell(): void {
    const changes = this.#changes;
    this.#changes = new Changes();
    for (const [listener, backlog] of this.#listeners) {
      for (const change of changes.values()) if (listener.wants(change)) backlog.push(change);
    }
  }
}

/** Each change once, in order. */
class Changes extends Map<string, Change> {
  note(change: Change): void {
    this.set(JSON.stringify(change), change);
  }
}

/** What a slow client has not been told yet. */
class Backlog {
  readonly #listener: Listener;
  #waiting: Changes | undefined;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  push(change: Change): void {
    if (this.#waiting !== undefined) {
      this.#waiting.note(change);
      return;
    }
    const slow =
      "uri" in change
        ? this.#listener.send("notifications/resources/updated", change)
        : this.#listener.send(`notifications/${change.list}/list_changed`, undefined);
    if (slow === undefined) return;
    this.#waiting = new Changes();
    void slow.then(() => this.#drain());
  }

  #drain(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const change of waiting?.values() ?? []) this.push(change);
  }
}

/** Sends something to a client that may be gone by now, in which case nobody misses it. */
export function sendIfPossible(send: () => void | Promise<void>): void | Promise<void> {
  try {
    return send()?.catch(() => undefined);
  } catch {
    // The connection is closed; its binding sees to the rest.
  }
}
