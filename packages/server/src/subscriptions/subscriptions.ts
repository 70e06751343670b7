import { ErrorCode, RpcError } from "@toolwire/protocol";

/** Which list has changed. */
export type ListName = "tools" | "prompts" | "resources";

/** Somebody who wants to hear of changes: a `subscriptions/listen` stream, or a legacy session. */
export interface Listener {
  /** Whether changes of this list are of interest. */
  hearsOf(list: ListName): boolean;
  /** Whether changes of this resource are of interest. */
  watches(uri: string): boolean;
  /** Sends a notification. A promise comes back if the client reads too slowly. Never fails. */
  send(method: string, params: object | undefined): void | Promise<void>;
  /** Ends it in the way of its era. */
  end(): void;
  /** The connection that it belongs to, if those are counted. */
  readonly connection?: object;
}

/**
 * Carries changes to everybody who wants to hear of them. What changes several times in one turn is told once; to a
 * client that reads slowly, what piles up is told once as well, so that nobody can make the memory grow.
 */
export class Subscriptions {
  readonly #maxPerConnection: number;
  readonly #listeners = new Map<Listener, Backlog>();
  readonly #perConnection = new WeakMap<object, number>();
  #isScheduled = false;
  readonly #changedLists = new Set<ListName>();
  readonly #updatedUris = new Set<string>();

  constructor(maxPerConnection: number) {
    this.#maxPerConnection = maxPerConnection;
  }

  /** Refuses another stream to a connection that has as many as it may. */
  expectRoom(connection: object): void {
    if ((this.#perConnection.get(connection) ?? 0) < this.#maxPerConnection) return;
    throw new RpcError(
      ErrorCode.InternalError,
      `Too many subscriptions on this connection (limit ${this.#maxPerConnection}): cancel some first.`,
    );
  }

  add(listener: Listener): void {
    if (this.#listeners.has(listener)) return;
    this.#listeners.set(listener, new Backlog(listener));
    this.#count(listener, 1);
  }

  delete(listener: Listener): void {
    if (this.#listeners.delete(listener)) this.#count(listener, -1);
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** A list has changed. */
  listChanged(list: ListName): void {
    if (this.#listeners.size === 0) return;
    this.#changedLists.add(list);
    this.#schedule();
  }

  /** The contents of a resource have changed. */
  resourceUpdated(uri: string): void {
    if (this.#listeners.size === 0) return;
    this.#updatedUris.add(uri);
    this.#schedule();
  }

  /** Ends all listeners, or those of one connection. */
  end(connection?: object): void {
    this.#tell();
    for (const listener of Array.from(this.#listeners.keys())) {
      if (connection === undefined || listener.connection === connection) listener.end();
    }
  }

  #count({ connection }: Listener, change: number): void {
    if (connection !== undefined) {
      this.#perConnection.set(connection, (this.#perConnection.get(connection) ?? 0) + change);
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#tell());
  }

  #tell(): void {
    this.#isScheduled = false;
    const lists = [...this.#changedLists];
    const uris = [...this.#updatedUris];
    this.#changedLists.clear();
    this.#updatedUris.clear();
    for (const [listener, backlog] of this.#listeners) {
      for (const list of lists) {
        if (listener.hearsOf(list)) backlog.push(`notifications/${list}/list_changed`, undefined);
      }
      for (const uri of uris) if (listener.watches(uri)) backlog.push("notifications/resources/updated", uri);
    }
  }
}

/** What a slow client has not been told yet: each thing once, in order. */
class Backlog {
  readonly #listener: Listener;
  #waiting: Map<string, { readonly method: string; readonly uri: string | undefined }> | undefined;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  push(method: string, uri: string | undefined): void {
    if (this.#waiting !== undefined) {
      this.#waiting.set(uri ?? method, { method, uri });
      return;
    }
    const slow = this.#listener.send(method, uri === undefined ? undefined : { uri });
    if (slow === undefined) return;
    this.#waiting = new Map();
    void slow.then(() => this.#drain());
  }

  #drain(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const { method, uri } of waiting?.values() ?? []) this.push(method, uri);
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
