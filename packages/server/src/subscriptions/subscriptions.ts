/** The most resources that one stream or session may watch. */
export const MAX_WATCHED = 1000;

/** The most characters that the URIs of all resources on one stream may have together. */
const MAX_CHARACTERS = 256 * 1024;

/** The most characters in the URI of a watched resource. Templates match no longer ones. */
const MAX_URI_LENGTH = 8192;

/**
 * The resources that a stream will watch, from those that a client names, which may be any number: each once, without URIs
 * that are too long, and the first ones within the limits.
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

/** The name of a list that can change. */
type ListName = "tools" | "prompts" | "resources";

/** A resource whose contents have changed. */
export interface ResourceChange {
  readonly uri: string;
  /** The caller that the change concerns; absent if it concerns all. The `id` of callers without authentication is `undefined`. */
  readonly only?: { readonly id: string | undefined } | undefined;
}

/** A change of a list, or of the contents of a resource. */
export type Change = { readonly list: ListName } | ResourceChange;

/** A receiver of changes: a `subscriptions/listen` stream, or a legacy session. */
export interface Listener {
  /** Takes all changes of one turn of the event loop, each once. */
  hear(changes: readonly Change[]): void;
  /** Ends the subscription in the way of its era. */
  end(): void;
  /** The connection with which it ends, if it belongs to one. */
  readonly connection?: object;
}

/** Passes changes on to all listeners, at the end of the turn. Repeated changes within one turn count once. */
export class Subscriptions {
  readonly #listeners = new Set<Listener>();
  /** The changes of this turn. */
  readonly #changes = new Map<string, Change>();

  add(listener: Listener): void {
    this.#listeners.add(listener);
  }

  delete(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** Announces a change. */
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

  /** Whether a change for one caller was announced for all callers as well. */
  #isToldToAll(change: Change): boolean {
    return "uri" in change && change.only !== undefined && this.#changes.has(JSON.stringify({ uri: change.uri }));
  }
}

/** Sends a message that may be lost: errors are ignored, because the client may be gone. */
export function sendIfPossible(send: () => void | Promise<void>): void | Promise<void> {
  try {
    return send()?.catch(() => undefined);
  } catch {
    // The connection is closed, and its binding handles that.
  }
}

/**
 * A listener that does not queue notifications for a slow client. Changes are collected until the client has read, each
 * once, so that a client cannot fill the memory by not reading.
 */
export abstract class CollectingListener implements Listener {
  /** The changes that were collected while the client is slow. */
  #waiting: Map<string, Change> | undefined;

  /** The id of the caller that it belongs to, if the caller is authenticated. */
  protected abstract readonly caller: string | undefined;

  /** Whether the client has subscribed to a change. */
  protected abstract wants(change: Change): boolean;

  /** Sends a notification. Returns a promise if the client reads too slowly. Never fails. */
  protected abstract send(method: string, params: object | undefined): void | Promise<void>;

  abstract end(): void;

  hear(changes: Iterable<Change>): void {
    for (const change of changes) if (this.#concerns(change) && this.wants(change)) this.#tell(change);
  }

  /** Whether a change concerns its caller. */
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
