import type { Bus } from "../cluster/bus.ts";
import { type Change, DistinctChanges, type ListName, type TopicChange } from "./changes.ts";
import { SharedChanges } from "./shared-changes.ts";

/** The most resources that one stream or session may watch. */
export const MAX_WATCHED = 1000;

/** The most characters that the URIs of all resources on one stream may have together. */
const MAX_CHARACTERS = 256 * 1024;

/** How many changes are read at once for a listener that comes back, and how often before it is told of everything instead. */
const ROUND = 1000;
const MAX_ROUNDS = 12;

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

/** A receiver of changes: a `subscriptions/listen` stream, or a legacy session. */
export interface Listener {
  /** Takes all changes of one turn of the event loop, each once. `place` is where the log of the cluster stands after them. */
  hear(changes: readonly Change[], place?: string): void;
  /** Changes may have been missed, such as those of these lists. `place` is where the log of the cluster stands. */
  missed(lists: readonly ListName[], place?: string): void;
  /** Ends the subscription in the way of its era. */
  end(): void;
  /** The connection with which it ends, if it belongs to one. */
  readonly connection?: object;
}

/** Changes that were announced after a place in the log of the cluster, and where the log stands after them. */
export interface ChangesAfter {
  readonly changes: readonly Change[];
  readonly place: string;
}

/**
 * Passes changes on to all listeners, at the end of the turn. Repeated changes within one turn count once. In a cluster, changes go
 * through the log that all nodes share, and listeners hear those of all nodes.
 */
export class Subscriptions {
  readonly #listeners = new Set<Listener>();
  readonly #lists: () => readonly ListName[];
  /** The changes of this turn. */
  readonly #changes = new DistinctChanges();
  #shared: SharedChanges | undefined;

  /** `lists` names the lists that the server has. */
  constructor(lists: () => readonly ListName[]) {
    this.#lists = lists;
  }

  add(listener: Listener): void {
    this.#listeners.add(listener);
  }

  delete(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** Announces a change. */
  announce(change: Change): void {
    if (this.#listeners.size === 0 && this.#shared === undefined) return;
    if (this.#changes.isEmpty) queueMicrotask(() => this.#tell());
    this.#changes.add(change);
  }

  /**
   * Shares changes with other nodes, for the server of this name. Returns what ends that, and resolves when all changes are on their
   * way. `onState` is told when the engine can be reached again, or cannot be reached any more.
   */
  share(bus: Bus, server: string, onState: (isUp: boolean) => void): () => Promise<void> {
    const shared = new SharedChanges(bus, server, {
      hear: (changes, place) => this.#hear(changes, place),
      missed: (place) => this.#missed(place),
      stateChanged: onState,
    });
    this.#shared = shared;
    return () => {
      this.#tell();
      this.#shared = undefined;
      return shared.end();
    };
  }

  /** Where the log of the cluster stands for this node; `undefined` without a cluster, and as long as it is not known. */
  get place(): string | undefined {
    return this.#shared?.place;
  }

  /** Reads at most `limit` changes after a place in the log of the cluster. Rejects with a `ClusterError` if that fails. */
  async changesAfter(place: string, limit: number): Promise<ChangesAfter | "gap"> {
    return (await this.#shared?.changesAfter(place, limit)) ?? "gap";
  }

  /**
   * Tells a listener of what was announced after a place in the log: of everything that may have changed, if that is not known any
   * more. Returns where the log stands then, if it can be read. Never rejects.
   */
  async catchUp(listener: Listener, place: string): Promise<string | undefined> {
    let reached = place;
    try {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const read = await this.changesAfter(reached, ROUND);
        if (read === "gap") break;
        if (read.changes.length > 0) listener.hear(read.changes, read.place);
        if (read.place === reached) return reached;
        reached = read.place;
      }
    } catch {
      // The log cannot be read now: the same as if it had been cut.
    }
    listener.missed(this.#lists(), this.place);
    return this.place;
  }

  /** Ends all listeners, or those of one connection. */
  end(connection?: object): void {
    const changes = this.#tell();
    // What comes back from the log would be too late for them.
    if (this.#shared !== undefined) this.#hear(changes);
    for (const listener of Array.from(this.#listeners)) {
      if (connection === undefined || listener.connection === connection) listener.end();
    }
  }

  /** Tells of the changes of this turn: the listeners, or the log of the cluster. Returns them. */
  #tell(): readonly Change[] {
    const changes = this.#changes.take();
    if (this.#shared === undefined) this.#hear(changes);
    else this.#shared.announce(changes);
    return changes;
  }

  #hear(changes: readonly Change[], place?: string): void {
    if (changes.length === 0) return;
    for (const listener of this.#listeners) listener.hear(changes, place);
  }

  #missed(place: string | undefined): void {
    const lists = this.#lists();
    for (const listener of this.#listeners) listener.missed(lists, place);
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
  /** Where the log of the cluster stands after them. */
  #waitingPlace: string | undefined;

  /** The id of the caller that it belongs to, if the caller is authenticated. */
  protected abstract readonly caller: string | undefined;

  /** The resources that the client watches. */
  protected abstract readonly watchedUris: Iterable<string>;

  /** Whether the client has subscribed to a change. */
  protected abstract wants(change: Change): boolean;

  /**
   * Sends a notification. Returns a promise if the client reads too slowly. Never fails. `place` is where the log of the cluster stands
   * after it; absent if more notifications of the same place follow.
   */
  protected abstract send(method: string, params: object | undefined, place?: string): void | Promise<void>;

  abstract end(): void;

  /** Sends what an event of an extension means for the client. Listeners that want none are not asked. */
  protected sendEvent(_change: TopicChange): void | Promise<void> {}

  hear(changes: Iterable<Change>, place?: string): void {
    let last: Change | undefined;
    for (const change of changes) {
      if (!this.#concerns(change) || !this.wants(change)) continue;
      if (last !== undefined) this.#tell(last, undefined);
      last = change;
    }
    if (last !== undefined) this.#tell(last, place);
  }

  /** Tells the client of everything that may have changed: too much rather than too little. */
  missed(lists: readonly ListName[], place?: string): void {
    const watched = Array.from(this.watchedUris, (uri) => ({ uri }));
    this.hear([...lists.map((list) => ({ list })), ...watched], place);
  }

  /** Whether a change concerns its caller. */
  #concerns(change: Change): boolean {
    return !("uri" in change) || change.only === undefined || change.only.id === this.caller;
  }

  #tell(change: Change, place: string | undefined): void {
    if (this.#waiting !== undefined) {
      collect(this.#waiting, change);
      this.#waitingPlace = place ?? this.#waitingPlace;
      return;
    }
    const slow = this.#send(change, place);
    if (slow === undefined) return;
    this.#waiting = new Map();
    void slow.then(() => this.#catchUp());
  }

  #send(change: Change, place: string | undefined): void | Promise<void> {
    if ("topic" in change) return this.sendEvent(change);
    if ("list" in change) return this.send(`notifications/${change.list}/list_changed`, undefined, place);
    return this.send("notifications/resources/updated", { uri: change.uri }, place);
  }

  #catchUp(): void {
    const waiting = this.#waiting;
    const place = this.#waitingPlace;
    this.#waiting = undefined;
    this.#waitingPlace = undefined;
    this.hear(waiting?.values() ?? [], place);
  }
}

/** Collects a change for a client that reads too slowly. Of too many events of a topic, only that there were some is kept. */
function collect(waiting: Map<string, Change>, change: Change): void {
  if ("topic" in change) {
    const isFull = waiting.size >= MAX_WATCHED;
    const key = `topic ${change.topic} ${isFull ? "" : JSON.stringify(change.event)}`;
    waiting.set(key, isFull ? { topic: change.topic } : change);
  } else waiting.set("uri" in change ? `uri ${change.uri}` : change.list, change);
}
