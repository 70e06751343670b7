/** Which list has changed. */
type ListName = "tools" | "prompts" | "resources";

/** A resource whose contents have changed. */
export interface ResourceChange {
  readonly uri: string;
  /** The one caller for whom they have; absent if for all. The `id` of callers that nobody has authenticated is `undefined`. */
  readonly only?: { readonly id: string | undefined } | undefined;
}

/** A list that has changed, or a resource whose contents have. */
export type Change = { readonly list: ListName } | ResourceChange;

/** Somebody who wants to hear of changes: a `subscriptions/listen` stream, or a legacy session. */
export interface Listener {
  /** Hears of everything that has changed in one turn, each change once. */
  hear(changes: readonly Change[]): void;
  /** Ends it in the way of its era. */
  end(): void;
  /** The connection that it belongs to, if it can be ended with it. */
  readonly connection?: object;
}

/** Carries changes to everybody who wants to hear of them. What changes several times in one turn is told once. */
export class Subscriptions {
  readonly #listeners = new Set<Listener>();
  /** What is to be told at the end of this turn. */
  readonly #changes = new Map<string, Change>();

  add(listener: Listener): void {
    this.#listeners.add(listener);
  }

  delete(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** Something has changed. */
  announce(change: Change): void {
    if (this.#listeners.size === 0) return;
    if (this.#changes.size === 0) queueMicrotask(() => this.#tell());
    this.#changes.set(JSON.stringify(change), change);
  }

  /** Ends all listeners, or those of one connection. */
  end(connection?: object): void {
    this.#tell();
    for (const listener of Array.from(this.#listeners)) {
      if (connection === undefined || listener.connection === connection) listener.end();
    }
  }

  #tell(): void {
    const changes = [...this.#changes.values()].filter((change) => !this.#isToldToAll(change));
    this.#changes.clear();
    for (const listener of this.#listeners) listener.hear(changes);
  }

  /** Whether a change for one caller is one for all at the same time. */
  #isToldToAll(change: Change): boolean {
    return "uri" in change && change.only !== undefined && this.#changes.has(JSON.stringify({ uri: change.uri }));
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
