import { releaseTimer } from "../../bindings/http/events.ts";
import { HttpSession, type SessionSetting } from "./session.ts";

/** How long a session must have been left alone before a new one may take its place. */
const EVICTABLE_AFTER_MS = 60_000;

/** The order of sessions is kept up to date to within this time. */
const REORDER_AFTER_MS = 1000;

/** How many sessions one caller may have before it is the first to give one up, however few there may be in all. */
const FEW = 10;

/** Bounds of all sessions. */
export interface SessionLimits {
  readonly max: number;
  readonly maxPerClient: number;
  readonly idleTimeout: number;
}

/** The sessions of one endpoint, those that were quiet longest first. One timer ends those that nobody uses. */
export class Sessions {
  readonly #setting: SessionSetting;
  readonly #limits: SessionLimits;
  readonly #byId = new Map<string, HttpSession>();
  /** The sessions of each known caller, in the same order. */
  readonly #byCaller = new Map<string, Set<HttpSession>>();
  /** Those that have ended, until the event store has forgotten them. */
  readonly #ending = new Set<Promise<void>>();
  #timer: ReturnType<typeof setInterval> | undefined;
  /** When the operator was last told that a caller has too many. */
  #lastWarning = -Infinity;

  constructor(setting: SessionSetting, limits: SessionLimits) {
    this.#setting = setting;
    this.#limits = limits;
  }

  /**
   * Makes a session, unless there are too many that are in use, in all or of this caller. It counts at once, or handshakes
   * that take long would get past the limit together; nobody can use it before its client is told the id.
   */
  open(principal: string | undefined, caller: string | undefined): HttpSession | "tooMany" | "tooManyOfOne" {
    const { max, maxPerClient } = this.#limits;
    const own = this.#listOf(caller);
    if (own !== undefined && own.size >= maxPerClient && !this.#evictIdle(own)) {
      this.#warn();
      return "tooManyOfOne";
    }
    if (this.#byId.size >= max && !this.#makeRoom(own)) return "tooMany";
    const session = new HttpSession(this.#setting, principal, caller);
    this.#append(session);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), Math.min(this.#limits.idleTimeout, 60_000));
      releaseTimer(this.#timer);
    }
    return session;
  }

  /** The session of this id, if it is this caller's. */
  find(id: string, principal: string | undefined): HttpSession | undefined {
    const session = this.#byId.get(id);
    if (session === undefined || session.principal !== principal) return undefined;
    const now = performance.now();
    // Not every platform runs timers between requests.
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

  /** Ends the streams that belong to no request. */
  endStreams(): void {
    for (const session of this.#byId.values()) session.endStreams();
  }

  /** Ends all sessions. Resolves when the event store has forgotten them, and those that have ended before. */
  async close(status: number): Promise<void> {
    for (const session of this.#byId.values()) this.end(session, status);
    await Promise.all(this.#ending);
  }

  /** The sessions of a caller, if it is known and has any. */
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

  /** Returns whether it was there. */
  #remove(session: HttpSession): boolean {
    const { id, caller } = session;
    const own = this.#listOf(caller);
    if (caller !== undefined && own?.delete(session) && own.size === 0) this.#byCaller.delete(caller);
    return this.#byId.delete(id);
  }

  /**
   * Ends a session for the sake of another one, whose caller has these. A caller with many of them gives one up first, even
   * one in use: otherwise it could keep all others out by using them all.
   */
  #makeRoom(own: Set<HttpSession> | undefined): boolean {
    const most = this.#findMost();
    if (most === undefined) return this.#evictIdle(this.#byId.values());
    return most === own ? this.#evictIdle(own) : this.#evict(most, 0) || this.#evictIdle(this.#byId.values());
  }

  /** The sessions of the caller that has most, if these are many. */
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

  /** Ends the first of these sessions that was quiet for this long and has no connection. */
  #evict(sessions: Iterable<HttpSession>, quietMs: number): boolean {
    const now = performance.now();
    for (const session of sessions) {
      if (now - session.lastSeen < quietMs || session.isConnected) continue;
      this.#setting.serving.diagnose({
        level: "warning",
        message:
          "There are as many sessions as `sessions.max` or `sessions.maxPerClient` allows; " +
          "one that was quiet for long made room for another.",
      });
      this.end(session);
      return true;
    }
    return false;
  }

  /** Tells the operator, but no more often than once a minute: it is the caller's choice how often it tries. */
  #warn(): void {
    const now = performance.now();
    if (now - this.#lastWarning < EVICTABLE_AFTER_MS) return;
    this.#lastWarning = now;
    const message =
      `A client has ${this.#limits.maxPerClient} sessions in use, and was refused another. ` +
      "If it stands for many users, as a proxy does, raise `sessions.maxPerClient`, or authenticate the users.";
    this.#setting.serving.diagnose({ level: "warning", message });
  }

  #sweep(): void {
    const now = performance.now();
    for (const session of this.#byId.values()) if (this.#isExpired(session, now)) this.end(session);
  }

  #isExpired(session: HttpSession, now: number): boolean {
    return now - session.lastSeen >= this.#limits.idleTimeout && !session.isConnected;
  }
}
