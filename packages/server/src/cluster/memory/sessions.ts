import { UsageError } from "@toolwire/protocol";
import type { NewSession, SessionChange, SessionRecord, SessionRoom, SessionStore, StreamHolder } from "../sessions.ts";
import { ExpiringMap, type Clock } from "./expiring-map.ts";
import { ENGINE_LIMITS, expectKey, expectSize } from "../limits.ts";
import { bytesOf } from "./texts.ts";

const SAME_ID = "There is another session with this id. Make ids at random, so that nobody can guess them.";

interface Session {
  readonly session: NewSession;
  readonly watched: Set<string>;
  watchedSize: number;
  isReady: boolean;
  logLevel: string | undefined;
  holder: StreamHolder | undefined;
  fence: number;
}

/** Sessions in memory. */
export class MemorySessions implements SessionStore {
  readonly #sessions: ExpiringMap<Session>;
  readonly #max: number;
  readonly #ended: (id: string) => void;
  #count = 0;
  readonly #perClient = new Map<string, number>();

  /** `ended` forgets the streams of a session. */
  constructor(now: Clock, max: number, ended: (id: string) => void) {
    this.#max = max;
    this.#ended = ended;
    this.#sessions = new ExpiringMap(now, max, (id, { session }) => this.#drop(id, session));
  }

  async create(session: NewSession, ttl: number, room: SessionRoom): Promise<"created" | "full" | "fullOfClient"> {
    const { id, facts, client } = session;
    expectKey(id);
    expectSize("What is known of a session", bytesOf(facts), ENGINE_LIMITS.facts);
    if (client !== undefined) expectKey(client);
    const known = this.#sessions.get(id);
    if (known !== undefined) {
      if (known.session.facts !== facts) throw new UsageError("INVALID_ARGUMENT", SAME_ID);
      this.#sessions.touch(id, ttl);
      return "created";
    }
    if (this.#count >= Math.min(room.max, this.#max)) this.#sessions.sweep();
    if (this.#count >= Math.min(room.max, this.#max)) return "full";
    if (this.#countOf(client) >= room.maxPerClient) this.#sessions.sweep();
    if (this.#countOf(client) >= room.maxPerClient) return "fullOfClient";
    const kept = { id, facts, ...(client !== undefined && { client }) };
    this.#sessions.set(
      id,
      {
        session: kept,
        watched: new Set(),
        watchedSize: 0,
        isReady: false,
        logLevel: undefined,
        holder: undefined,
        fence: 0,
      },
      ttl,
    );
    this.#count += 1;
    if (client !== undefined) this.#perClient.set(client, this.#countOf(client) + 1);
    return "created";
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const found = this.#sessions.get(id);
    if (found === undefined) return undefined;
    const { session, isReady, logLevel, watched, holder } = found;
    return {
      ...session,
      isReady,
      ...(logLevel !== undefined && { logLevel }),
      watched: [...watched],
      ...(holder !== undefined && { holder }),
    };
  }

  async touch(id: string, ttl: number): Promise<boolean> {
    return this.#sessions.touch(id, ttl);
  }

  async update(id: string, { isReady, logLevel, watch, unwatch }: SessionChange): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    if (logLevel !== undefined) expectKey(logLevel);
    if (watch !== undefined && !session.watched.has(watch)) {
      expectSize("What a session watches", session.watchedSize + watch.length, ENGINE_LIMITS.watched);
      session.watched.add(watch);
      session.watchedSize += watch.length;
    }
    if (unwatch !== undefined && session.watched.delete(unwatch)) session.watchedSize -= unwatch.length;
    if (isReady === true) session.isReady = true;
    if (logLevel !== undefined) session.logLevel = logLevel;
    return true;
  }

  async claim(
    id: string,
    { node, stream }: { readonly node: string; readonly stream: string },
  ): Promise<{ readonly fence: number; readonly previous?: StreamHolder | undefined } | undefined> {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    const { holder: previous } = session;
    session.fence += 1;
    session.holder = { node, stream: expectKey(stream), fence: session.fence };
    return { fence: session.fence, ...(previous !== undefined && { previous }) };
  }

  async release(id: string, fence: number): Promise<void> {
    const session = this.#sessions.get(id);
    if (session?.holder?.fence === fence) session.holder = undefined;
  }

  async end(id: string): Promise<boolean> {
    return this.#sessions.delete(id);
  }

  #drop(id: string, { client }: NewSession): void {
    this.#count -= 1;
    if (client !== undefined) {
      const left = this.#countOf(client) - 1;
      if (left > 0) this.#perClient.set(client, left);
      else this.#perClient.delete(client);
    }
    this.#ended(id);
  }

  #countOf(client: string | undefined): number {
    return client === undefined ? 0 : (this.#perClient.get(client) ?? 0);
  }
}
