import { expectLimit, expectOptions } from "@toolwire/protocol/internal";
import type { EventStore, StoredEvent } from "./event-store.ts";
import { Place, RecencyList } from "./recency-list.ts";

/** Limits of {@link createMemoryEventStore}. Whole numbers; `Infinity` turns one off. */
export interface MemoryEventStoreOptions {
  /**
   * How many characters to keep for one session of messages that were sent to a connected client. The oldest are dropped
   * first, and the latest is kept in any case. Default 256 Ki.
   */
  readonly maxPerSession?: number | undefined;
  /**
   * How many characters to keep for one client of messages that were not sent, because no client was connected: the latest of
   * each stream, such as the response to a request whose stream was suspended. The oldest are dropped first, with a diagnostic, and the
   * latest is kept in any case. A client is a principal or a public address with all its sessions, or else a session.
   * Default: a tenth of `max`.
   */
  readonly maxUnsentPerClient?: number | undefined;
  /**
   * How many characters to keep in all. Messages that were sent are dropped first, then others, with a diagnostic. The client
   * that has most loses messages first; if none has a 64th of `max`, the session that was idle longest does. Default 32 Mi.
   */
  readonly max?: number | undefined;
  /** How many milliseconds to keep an event. Default 300 000 (5 minutes). */
  readonly maxAge?: number | undefined;
}

/** Makes an event store in the memory of this process. */
export function createMemoryEventStore(options: MemoryEventStoreOptions = {}): EventStore {
  expectOptions("createMemoryEventStore", options, {
    max: true,
    maxPerSession: true,
    maxUnsentPerClient: true,
    maxAge: true,
  });
  const max = expectLimit("max", options.max, 32 * 1024 * 1024);
  const store = new MemoryEventStore({
    max,
    maxPerSession: expectLimit("maxPerSession", options.maxPerSession, 256 * 1024),
    maxUnsentPerClient: expectLimit("maxUnsentPerClient", options.maxUnsentPerClient, Math.ceil(max / 10)),
    maxAge: expectLimit("maxAge", options.maxAge, 5 * 60_000),
  });
  return {
    append: (session, stream, event, client) => store.append(session, stream, event, client),
    after: (session, stream, sequence) => store.after(session, stream, sequence),
    forget: (session) => store.forget(session),
  };
}

/** The memory of an event beyond its text, in characters. */
const OVERHEAD = 100;

/** A client is large if it has more than this part of `max`. There are at most as many large clients, so a scan is cheap. */
const LARGE_PART = 64;

interface KeptEvent extends StoredEvent {
  readonly stream: string;
  readonly size: number;
  readonly expires: number;
  next: KeptEvent | undefined;
}

class KeptSession {
  readonly id: string;
  readonly client: KeptClient;
  /** Its place among all sessions, and among those of its client. */
  readonly place = new Place<KeptSession>(this);
  readonly placeOfClient = new Place<KeptSession>(this);
  /** A linked list of the events that were sent, or that a later one of their stream has followed. */
  oldest: KeptEvent | undefined;
  latest: KeptEvent | undefined;
  sent = 0;
  /** The latest event of each stream, by key, if it was not sent; the oldest first. */
  readonly unsent: Map<string, KeptEvent> = new Map<string, KeptEvent>();
  /** When the latest event of the session expires. */
  expires = 0;

  constructor(id: string, client: KeptClient) {
    this.id = id;
    this.client = client;
  }
}

interface KeptClient {
  readonly name: string | undefined;
  /** Ordered by their latest event. */
  readonly sessions: RecencyList<KeptSession>;
  sent: number;
  unsent: number;
  /** How many events were not sent. */
  unsentCount: number;
}

class MemoryEventStore implements EventStore {
  readonly #limits: Required<{ readonly [K in keyof MemoryEventStoreOptions]: number }>;
  readonly #sessions = new Map<string, KeptSession>();
  /** The same, ordered by their latest event. */
  readonly #order = new RecencyList<KeptSession>();
  /** The clients that have a name. */
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
    // Only the latest event of a stream counts as unsent: it is the response that a reconnecting client needs.
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
    this.#order.delete(session.place);
    client.sessions.delete(session.placeOfClient);
    if (client.sessions.oldest === undefined && client.name !== undefined) this.#clients.delete(client.name);
  }

  /** Returns the session of this id, and moves it to the end of the order. */
  #take(id: string, client: string | undefined): KeptSession {
    let session = this.#sessions.get(id);
    if (session === undefined) this.#sessions.set(id, (session = new KeptSession(id, this.#clientOf(client))));
    this.#order.use(session.place);
    session.client.sessions.use(session.placeOfClient);
    return session;
  }

  #clientOf(name: string | undefined): KeptClient {
    let client = name === undefined ? undefined : this.#clients.get(name);
    if (client === undefined) {
      client = { name, sessions: new RecencyList(), sent: 0, unsent: 0, unsentCount: 0 };
      if (name !== undefined) this.#clients.set(name, client);
    }
    return client;
  }

  /** Appends an event to the sent ones. */
  #chain(session: KeptSession, event: KeptEvent): void {
    if (session.latest === undefined) session.oldest = event;
    else session.latest.next = event;
    session.latest = event;
    this.#resizeSent(session, event.size);
  }

  /** Removes the oldest of the sent events. */
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

  /** Forgets sessions whose events have all expired. */
  #expire(now: number): void {
    for (let idle = this.#order.oldest; idle !== undefined && idle.expires <= now; idle = this.#order.oldest) {
      this.forget(idle.id);
    }
  }

  /** Drops expired events of a session, and sent ones beyond its limit, except the latest. */
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

  /** Drops one event, a sent one if there is any. Returns whether it was sent. */
  #dropOne(): boolean {
    const greedy = this.#findLarge("sent");
    for (const session of greedy?.sessions ?? this.#order) {
      if (session.oldest === undefined) continue;
      this.#unchain(session, session.oldest);
      return true;
    }
    this.#dropUnsent(this.#findLarge("unsent")?.sessions ?? this.#order);
    return false;
  }

  /** Drops the oldest unsent event of the first of these sessions that has one. */
  #dropUnsent(sessions: Iterable<KeptSession>): void {
    for (const session of sessions) {
      for (const stream of session.unsent.keys()) return void this.#removeUnsent(session, stream);
    }
  }

  /** Finds the large client that has most sent events, or most unsent ones. */
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
