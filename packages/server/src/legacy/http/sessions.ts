import { releaseTimer } from "../../timers.ts";
import type { SessionDirectory } from "./session-directory.ts";
import { HttpSession, type SessionSettings } from "./session.ts";

/** How long a session must have been idle before a new one may replace it. */
const EVICTABLE_AFTER_MS = 60_000;

/** How precise the order of sessions by their last use is. */
const REORDER_AFTER_MS = 1000;

/** A caller with more sessions than this, and more than a hundredth of all, is the first to lose one. */
const FEW = 10;

/** Bounds of all sessions. */
export interface SessionLimits {
  readonly max: number;
  readonly maxPerClient: number;
  readonly idleTimeout: number;
}

/** The sessions that one process keeps alone, ordered by their last use. One timer ends those that are idle for too long. */
export class Sessions implements SessionDirectory {
  readonly #settings: SessionSettings;
  readonly #limits: SessionLimits;
  readonly #byId = new Map<string, HttpSession>();
  /** The sessions of each known caller, in the same order. */
  readonly #byCaller = new Map<string, Set<HttpSession>>();
  /** Resolve when the event store has forgotten sessions that have ended. */
  readonly #ending = new Set<Promise<void>>();
  #timer: ReturnType<typeof setInterval> | undefined;
  /** When the last warning about a caller with too many sessions was given. */
  #lastWarning = -Infinity;

  constructor(settings: SessionSettings, limits: SessionLimits) {
    this.#settings = settings;
    this.#limits = limits;
  }

  /**
   * Creates a session, unless too many are in use, in all or of this caller. The session counts at once: otherwise slow
   * handshakes would get past the limit together. Its id is not known to anyone before the handshake succeeds.
   */
  open(principal: string | undefined, caller: string | undefined): HttpSession | "tooMany" | "tooManyOfClient" {
    const { max, maxPerClient } = this.#limits;
    const own = this.#listOf(caller);
    if (own !== undefined && own.size >= maxPerClient && !this.#evictIdle(own)) {
      this.#warn();
      return "tooManyOfClient";
    }
    if (this.#byId.size >= max && !this.#makeRoom(own)) return "tooMany";
    const session = new HttpSession(this.#settings, { principal, caller });
    this.#append(session);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), Math.min(this.#limits.idleTimeout, 60_000));
      releaseTimer(this.#timer);
    }
    return session;
  }

  /** Finds the session of this id, if it belongs to this principal. */
  find(id: string, principal: string | undefined): HttpSession | undefined {
    const session = this.#byId.get(id);
    if (session === undefined || session.principal !== principal) return undefined;
    const now = performance.now();
    // Some platforms run no timers between requests.
    if (this.#isExpired(session, now)) {
      this.end(session);
      return undefined;
    }
    if (now - session.lastSeen > REORDER_AFTER_MS) {
      this.#remove(session);
      this.#append(session);
    }
    session.lastSeen = now;
    return session;
  }

  /** Ends a session: from now on its id is unknown. */
  end(session: HttpSession, status?: number): void {
    if (this.#remove(session)) {
      const ending = session.close(status).then(() => void this.#ending.delete(ending));
      this.#ending.add(ending);
    }
    if (this.#byId.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Ends the standalone streams of all sessions. */
  endStreams(): void {
    for (const session of this.#byId.values()) session.endStreams();
  }

  /** Ends all sessions. Resolves when the event store has forgotten these and those that have ended before. */
  async close(status: number): Promise<void> {
    for (const session of this.#byId.values()) this.end(session, status);
    await Promise.all(this.#ending);
  }

  /** Lists the sessions of a caller, if it is known and has any. */
  #listOf(caller: string | undefined): Set<HttpSession> | undefined {
    return caller === undefined ? undefined : this.#byCaller.get(caller);
  }

  #append(session: HttpSession): void {
    const { id, caller } = session;
    this.#byId.set(id, session);
    if (caller === undefined) return;
    const own = this.#byCaller.get(caller);
    if (own === undefined) this.#byCaller.set(caller, new Set([session]));
    else own.add(session);
  }

  /** Returns whether the session was there. */
  #remove(session: HttpSession): boolean {
    const { id, caller } = session;
    const own = this.#listOf(caller);
    if (caller !== undefined && own?.delete(session) && own.size === 0) this.#byCaller.delete(caller);
    return this.#byId.delete(id);
  }

  /**
   * Ends a session to make room for another one, whose caller has the sessions `own`. A caller with many sessions loses one
   * first, even one in use: otherwise it could keep all others out by using all of its own.
   */
  #makeRoom(own: Set<HttpSession> | undefined): boolean {
    const most = this.#findMost();
    if (most === undefined) return this.#evictIdle(this.#byId.values());
    return most === own ? this.#evictIdle(own) : this.#evict(most, 0) || this.#evictIdle(this.#byId.values());
  }

  /** Lists the sessions of the caller that has most, if they are many. */
  #findMost(): Set<HttpSession> | undefined {
    let most: Set<HttpSession> | undefined;
    let size = Math.max(FEW, this.#limits.max / 100);
    for (const sessions of this.#byCaller.values()) {
      if (sessions.size <= size) continue;
      most = sessions;
      ({ size } = sessions);
    }
    return most;
  }

  #evictIdle(sessions: Iterable<HttpSession>): boolean {
    return this.#evict(sessions, Math.min(EVICTABLE_AFTER_MS, this.#limits.idleTimeout));
  }

  /** Ends the first of these sessions that was idle for this long and has no connection. */
  #evict(sessions: Iterable<HttpSession>, quietMs: number): boolean {
    const now = performance.now();
    for (const session of sessions) {
      if (now - session.lastSeen < quietMs || session.isConnected) continue;
      this.#settings.server.diagnose({
        level: "warning",
        message:
          "There are as many sessions as `legacy.sessions.max` or `legacy.sessions.maxPerClient` allows; " +
          "one that was quiet for long made room for another.",
      });
      this.end(session);
      return true;
    }
    return false;
  }

  /** Warns the operator at most once a minute: the caller chooses how often it tries. */
  #warn(): void {
    const now = performance.now();
    if (now - this.#lastWarning < EVICTABLE_AFTER_MS) return;
    this.#lastWarning = now;
    const message =
      `A client has ${this.#limits.maxPerClient} sessions in use, and was refused another. ` +
      "If it stands for many users, as a proxy does, raise `legacy.sessions.maxPerClient`, or authenticate the users.";
    this.#settings.server.diagnose({ level: "warning", message });
  }

  #sweep(): void {
    const now = performance.now();
    for (const session of this.#byId.values()) if (this.#isExpired(session, now)) this.end(session);
  }

  #isExpired(session: HttpSession, now: number): boolean {
    return now - session.lastSeen >= this.#limits.idleTimeout && !session.isConnected;
  }
}
