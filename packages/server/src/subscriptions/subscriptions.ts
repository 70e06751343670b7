/** The most resources that one stream or session may watch. */
export const MAX_WATCHED = 1000;

/** The most characters that the URIs of all resources on one stream may have together. */
const MAX_CHARACTERS = 256 * 1024;

/** The most characters in the URI of a resource that can be watched: templates match none that is longer. */
const MAX_URI_LENGTH = 8192;

/**
 * The resources that a stream can watch of those that a client names, which may be any number: each once, those whose URIs
 * are not too long, and the first ones that fit.
 */
export function cutWatched(uris: Iterable<string>): string[] {
  const watched = new Set<string>();
  let characters = 0;
  for (const uri of uris) {
    if (uri.length > MAX_URI_LENGTH || watched.has(uri)) continue;
    characters += uri.length;
    if (watched.size === MAX_WATCHED || characters > MAX_CHARACTERS) break;
    watched.add(uri);
  }
  return [...watched];
}

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

/**
 * A listener that waits for its client: what changes while the client reads slowly is told later, each change once, so that
 * nobody can make the memory grow by not reading.
 */
export abstract class PatientListener implements Listener {
  /** What the client has not been told yet, while it is slow. */
  #waiting: Map<string, Change> | undefined;

  /** The id of the caller that it belongs to, if it is known who that is. */
  protected abstract readonly caller: string | undefined;

  /** Whether a change is of interest. */
  protected abstract wants(change: Change): boolean;

  /** Sends a notification. A promise comes back if the client reads too slowly. Never fails. */
  protected abstract send(method: string, params: object | undefined): void | Promise<void>;

  abstract end(): void;

  hear(changes: Iterable<Change>): void {
    for (const change of changes) if (this.#concerns(change) && this.wants(change)) this.#tell(change);
  }

  /** Whether a change is one for its caller. */
  #concerns(change: Change): boolean {
    return !("uri" in change) || change.only === undefined || change.only.id === this.caller;
  }

  #tell(change: Change): void {
    if (this.#waiting !== undefined) {
      this.#waiting.set("uri" in change ? `uri ${change.uri}` : change.list, change);
      return;
    }
    const slow =
      "uri" in change
        ? this.send("notifications/resources/updated", { uri: change.uri })
        : this.send(`notifications/${change.list}/list_changed`, undefined);
    if (slow === undefined) return;
    this.#waiting = new Map();
    void slow.then(() => this.#catchUp());
  }

  #catchUp(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.hear(waiting?.values() ?? []);
  }
}
