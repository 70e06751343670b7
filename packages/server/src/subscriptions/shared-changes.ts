import type { Bus, ChangeBatch } from "../cluster/bus.ts";
import { releaseTimer } from "../timers.ts";
import { ANYTHING, type Change, decodeChange, DistinctChanges, encodeChange } from "./changes.ts";

/** Is told of the changes of all nodes. */
export interface ChangeReceiver {
  /** Hears changes. Without a place, they come from this node directly, and may come again from the log. */
  hear(changes: readonly Change[], place: string | undefined): void;
  /** Changes may have been missed. */
  missed(place: string | undefined): void;
  /** The engine can be reached again, or cannot be reached any more. */
  stateChanged(isUp: boolean): void;
}

/** How many changes may wait for the engine. If there are more, all of them become {@link ANYTHING}. */
const MAX_UNSENT = 1000;

/** The most characters that the bus takes at once. */
const MAX_BATCH_LENGTH = 65_536;

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

const PLACE = /^[\w.]{1,64}$/;

/**
 * The changes of one server in the log that all nodes of a cluster share. Changes of this node go into the log, and come back from it,
 * so that all nodes hear the same in the same order. While the log cannot be reached, this node is told directly, and others are told
 * as soon as it can be reached again.
 */
export class SharedChanges {
  readonly #bus: Bus;
  readonly #server: string;
  readonly #receiver: ChangeReceiver;
  readonly #stopListening: () => void;
  /** The entries that are not in the log yet, and whether this node was told of them directly. */
  readonly #unsent = new Map<string, boolean>();
  #sending: Promise<void> | undefined;
  #isSending = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #place: string | undefined;
  #hasEnded = false;

  /** Begins to listen. `server` is the name of the server. */
  constructor(bus: Bus, server: string, receiver: ChangeReceiver) {
    this.#bus = bus;
    this.#server = server;
    this.#receiver = receiver;
    this.#stopListening = bus.listen({
      message: () => undefined,
      changes: (batch) => this.#hear(batch),
      missed: (place) => {
        this.#place = readPlace(place);
        receiver.missed(this.#place);
      },
      stateChanged: (isUp) => {
        receiver.stateChanged(isUp);
        if (isUp) this.#send();
      },
    });
  }

  /** Where the log stands for this node; `undefined` as long as it is not known. */
  get place(): string | undefined {
    return this.#place;
  }

  /** Tells all nodes. */
  announce(changes: readonly Change[]): void {
    for (const change of changes) this.#add(encodeChange(this.#server, change), false);
    // The engine may take seconds to fail, and clients of this node need not wait for that.
    if (!this.#bus.isUp) this.#tellDirectly();
    this.#send();
  }

  /** Reads on from a place, as {@link Bus.changesAfter} does. */
  async changesAfter(
    place: string,
    limit: number,
  ): Promise<{ readonly changes: readonly Change[]; readonly place: string } | "gap"> {
    const batch = await this.#bus.changesAfter(place, limit);
    if (batch === "gap") return "gap";
    const changes = this.#decode(batch.changes);
    return changes === ANYTHING ? "gap" : { changes, place: batch.place };
  }

  /** Stops listening. Resolves when what was announced is in the log, or could not be put there. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    await this.#sending;
  }

  #hear({ changes, place }: ChangeBatch): void {
    this.#place = readPlace(place);
    const heard = this.#decode(changes);
    if (heard === ANYTHING) this.#receiver.missed(this.#place);
    else if (heard.length > 0) this.#receiver.hear(heard, this.#place);
  }

  #decode(entries: readonly string[]): Change[] | typeof ANYTHING {
    const decoded = entries.map((entry) => decodeChange(this.#server, entry));
    if (decoded.includes(ANYTHING)) return ANYTHING;
    return new DistinctChanges(decoded.filter((change) => change !== undefined && change !== ANYTHING)).take();
  }

  #add(entry: string, isTold: boolean): void {
    this.#unsent.set(entry, isTold && this.#unsent.get(entry) !== false);
    if (this.#unsent.size <= MAX_UNSENT) return;
    const areTold = [...this.#unsent.values()].every(Boolean);
    this.#unsent.clear();
    this.#unsent.set(encodeChange(this.#server, ANYTHING), areTold);
  }

  #tellDirectly(): void {
    const untold = [...this.#unsent].filter(([, isTold]) => !isTold).map(([entry]) => entry);
    for (const entry of untold) this.#unsent.set(entry, true);
    const changes = this.#decode(untold);
    if (changes === ANYTHING) this.#receiver.missed(undefined);
    else if (changes.length > 0) this.#receiver.hear(changes, undefined);
  }

  #send(): void {
    clearTimeout(this.#timer);
    if (this.#isSending) return;
    this.#isSending = true;
    this.#sending = this.#sendAll();
  }

  /** Sends batch after batch. What is announced meanwhile is gathered for the next one. */
  async #sendAll(): Promise<void> {
    while (this.#unsent.size > 0) {
      const batch = this.#takeBatch();
      try {
        await this.#bus.announce([...batch.keys()]);
        this.#failures = 0;
      } catch {
        // It may be in the log nevertheless. A change that is told twice does no harm.
        for (const [entry, isTold] of batch) this.#add(entry, isTold);
        this.#sendLater();
        break;
      }
    }
    this.#isSending = false;
  }

  #takeBatch(): Map<string, boolean> {
    const batch = new Map<string, boolean>();
    let length = 0;
    for (const [entry, isTold] of this.#unsent) {
      length += entry.length;
      if (length > MAX_BATCH_LENGTH) break;
      batch.set(entry, isTold);
      this.#unsent.delete(entry);
    }
    return batch;
  }

  #sendLater(): void {
    this.#tellDirectly();
    if (this.#hasEnded) return;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#send(), pause);
    releaseTimer(this.#timer);
  }
}

function readPlace(place: string | undefined): string | undefined {
  return place !== undefined && PLACE.test(place) ? place : undefined;
}
