import { expectLimit, expectOptions } from "../../define/check-options.ts";
import type { EventStore, StoredEvent } from "./event-store.ts";

/** Limits of {@link createMemoryEventStore}. Whole numbers; `Infinity` turns one off. */
export interface MemoryEventStoreOptions {
  /**
   * How many characters of messages to keep for one session, of those that a client was connected to get. The oldest are
   * dropped first, and the latest is kept in any case. Default 256 Ki.
   */
  readonly maxPerSession?: number | undefined;
  /**
   * How many characters to keep for one client of what nobody was connected to get: the latest message of each stream, such
   * as the answer to a request whose stream was suspended. The oldest are dropped first, with a diagnostic, and the
   * latest is kept in any case. A client is a principal or a public address with all its sessions, or else a session.
   * Default: a tenth of `max`.
   */
  readonly maxUnsentPerClient?: number | undefined;
  /**
   * How many characters to keep in all. Messages that a client was connected to get are dropped first, then others, with a
   * diagnostic. Those of the client that has most go first; if none has a 64th of `max`, those of the session that was
   * quiet longest. Default 32 Mi.
   */
  readonly max?: number | undefined;
  /** How many milliseconds to keep an event. Default 300 000 (5 minutes). */
  readonly maxAge?: number | undefined;
}

/** An event store in the memory of this process. */
export function createMemoryEventStore(options: MemoryEventStoreOptions = {}): EventStore {
  expectOptions("createMemoryEventStore", options, {
    max: true,
    maxPerSession: true,
    maxUnsentPerClient: true,
    maxAge: true,
  });
  const max = expectLimit("max", options.max ?? 32 * 1024 * 1024);
  const store = new MemoryEventStore({
    max,
    maxPerSession: expectLimit("maxPerSession", options.maxPerSession ?? 256 * 1024),
    maxUnsentPerClient: expectLimit("maxUnsentPerClient", options.maxUnsentPerClient ?? Math.ceil(max / 10)),
    maxAge: expectLimit("maxAge", options.maxAge ?? 5 * 60_000),
  });
  return {
    append: (...event) => store.append(...event),
    after: (...place) => store.after(...place),
    forget: (session) => store.forget(session),
  };
}

/** What an event costs beyond its text. */
const OVERHEAD = 100;

/** What part of all room makes a client large. There can be no more large clients than this, so all can be looked at. */
const LARGE_PART = 64;

interface KeptEvent extends StoredEvent {
  readonly stream: string;
  readonly size: number;
  readonly expires: number;
  next: KeptEvent | undefined;
}

interface KeptSession {
  readonly id: string;
  readonly client: KeptClient;
  /** A chain of the events that a client was connected to get, or that a later one of their stream has followed. */
  oldest: KeptEvent | undefined;
  latest: KeptEvent | undefined;
  sent: number;
  /** By stream, its latest event if nobody was connected to get it; the oldest first. */
  readonly unsent: Map<string, KeptEvent>;
  /** When the latest event of all expires. */
  expires: number;
}

interface KeptClient {
  readonly name: string | undefined;
  /** In the order of their latest event. */
  readonly sessions: Set<KeptSession>;
  sent: number;
  unsent: number;
  /** How many events nobody was connected to get. */
  unsentCount: number;
}

class MemoryEventStore implements EventStore {
  readonly #limits: Required<{ readonly [K in keyof MemoryEventStoreOptions]: number }>;
  /** In the order of their latest event. */
  readonly #sessions = new Map<string, KeptSession>();
  /** Those that have a name. */
  readonly #clients = new Map<string, KeptClient>();
  readonly #large = new Set<KeptClient>();
  #size = 0;

  constructor(limits: Required<{ readonly [K in keyof MemoryEventStoreOptions]: number }>) {
    this.#limits = limits;
  }

  append(id: string, stream: string, { sequence, data, isUnsent }: StoredEvent, client?: string): void {
    const { max, maxAge, maxUnsentPerClient } = this.#limits;
    const now = performance.now();
    const size = data.length + OVERHEAD;
    this.#expire(now);
    if (size > max) throw new RangeError(`An event of ${size} characters is too large to be kept: \`max\` is ${max}.`);
    const event: KeptEvent = { stream, sequence, data, isUnsent, size, expires: now + maxAge, next: undefined };
    const session = this.#take(id, client);
    session.expires = event.expires;
    // Whoever is sent an event has been sent those before it, and whoever comes back needs the latest most.
    const before = this.#removeUnsent(session, stream);
    if (before !== undefined) this.#chain(session, before);
    if (isUnsent) this.#addUnsent(session, event);
    else this.#chain(session, event);
    this.#trim(session, now);

    let lost: string | undefined;
    while (session.client.unsent > maxUnsentPerClient && session.client.unsentCount > 1) {
      this.#dropUnsent(session.client.sessions);
      lost = `\`maxUnsentPerClient\` is ${maxUnsentPerClient}`;
    }
    while (this.#size > max) if (!this.#dropOne()) lost = `\`max\` is ${max}`;
    if (lost !== undefined) throw new RangeError(`No room for all events that no client has got: ${lost}.`);
  }

  after(id: string, stream: string, sequence: number): readonly StoredEvent[] {
    const now = performance.now();
    const session = this.#sessions.get(id);
    const found: StoredEvent[] = [];
    const collect = (event: KeptEvent | undefined): void => {
      if (event?.stream === stream && event.sequence > sequence && event.expires > now) found.push(event);
    };
    for (let event = session?.oldest; event !== undefined; event = event.next) collect(event);
    collect(session?.unsent.get(stream));
    return found;
  }

  forget(id: string): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    const { client, sent, unsent } = session;
    for (const { size } of unsent.values()) this.#resizeUnsent(client, -size, -1);
    this.#resizeSent(session, -sent);
    this.#sessions.delete(id);
    client.sessions.delete(session);
    if (client.sessions.size === 0 && client.name !== undefined) this.#clients.delete(client.name);
  }

  /** The session of this id, which becomes the latest. */
  #take(id: string, client: string | undefined): KeptSession {
    let session = this.#sessions.get(id);
    session ??= {
      id,
      client: this.#clientOf(client),
      oldest: undefined,
      latest: undefined,
      sent: 0,
      unsent: new Map(),
      expires: 0,
    };
    const { sessions } = session.client;
    sessions.delete(session);
    sessions.add(session);
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  #clientOf(name: string | undefined): KeptClient {
    let client = name === undefined ? undefined : this.#clients.get(name);
    if (client === undefined) {
      client = { name, sessions: new Set(), sent: 0, unsent: 0, unsentCount: 0 };
      if (name !== undefined) this.#clients.set(name, client);
    }
    return client;
  }

  /** Puts an event behind those that were sent. */
  #chain(session: KeptSession, event: KeptEvent): void {
    if (session.latest === undefined) session.oldest = event;
    else session.latest.next = event;
    session.latest = event;
    this.#resizeSent(session, event.size);
  }

  /** Takes the oldest away of those that were sent. */
  #unchain(session: KeptSession, oldest: KeptEvent): void {
    session.oldest = oldest.next;
    if (oldest.next === undefined) session.latest = undefined;
    this.#resizeSent(session, -oldest.size);
  }

  #addUnsent({ client, unsent }: KeptSession, event: KeptEvent): void {
    unsent.set(event.stream, event);
    this.#resizeUnsent(client, event.size, 1);
  }

  #removeUnsent({ client, unsent }: KeptSession, stream: string): KeptEvent | undefined {
    const event = unsent.get(stream);
    if (event === undefined) return undefined;
    unsent.delete(stream);
    this.#resizeUnsent(client, -event.size, -1);
    return event;
  }

  #resizeSent(session: KeptSession, change: number): void {
    session.sent += change;
    session.client.sent += change;
    this.#resize(session.client, change);
  }

  #resizeUnsent(client: KeptClient, change: number, count: number): void {
    client.unsent += change;
    client.unsentCount += count;
    this.#resize(client, change);
  }

  #resize(client: KeptClient, change: number): void {
    this.#size += change;
    if (client.sent + client.unsent > this.#limits.max / LARGE_PART) this.#large.add(client);
    else this.#large.delete(client);
  }

  /** Forgets sessions of which everything is too old. */
  #expire(now: number): void {
    for (const { id, expires } of this.#sessions.values()) {
      if (expires > now) break;
      this.forget(id);
    }
  }

  /** Drops what is too old of a session, and what was sent beyond its bound, except the latest. */
  #trim(session: KeptSession, now: number): void {
    for (const { stream, expires } of session.unsent.values()) {
      if (expires > now) break;
      this.#removeUnsent(session, stream);
    }
    for (let event = session.oldest; event?.next !== undefined; event = session.oldest) {
      if (event.expires > now && session.sent <= this.#limits.maxPerSession) break;
      this.#unchain(session, event);
    }
  }

  /** Drops one event, of those that were sent if there are any. Returns whether it was sent. */
  #dropOne(): boolean {
    const greedy = this.#findLarge("sent");
    for (const session of greedy?.sessions ?? this.#sessions.values()) {
      if (session.oldest === undefined) continue;
      this.#unchain(session, session.oldest);
      return true;
    }
    this.#dropUnsent(this.#findLarge("unsent")?.sessions ?? this.#sessions.values());
    return false;
  }

  /** Drops the oldest event that nobody got, of the first of these sessions that has one. */
  #dropUnsent(sessions: Iterable<KeptSession>): void {
    for (const session of sessions) {
      for (const stream of session.unsent.keys()) return void this.#removeUnsent(session, stream);
    }
  }

  /** The large client that has most of what was sent, or of what was not. */
  #findLarge(what: "sent" | "unsent"): KeptClient | undefined {
    let most: KeptClient | undefined;
    let size = this.#limits.max / LARGE_PART;
    for (const client of this.#large) {
      if (client[what] <= size) continue;
      most = client;
      size = client[what];
    }
    return most;
  }
}
