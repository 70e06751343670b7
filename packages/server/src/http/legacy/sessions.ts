import { releaseTimer } from "../timer.ts";
import { HttpSession, type SessionSetting } from "./session.ts";

/** How long a session must have been left alone before a new one may take its place. */
const EVICTABLE_AFTER_MS = 60_000;

/** The order of sessions is kept up to date to within this time. */
const REORDER_AFTER_MS = 1000;

/** Bounds of all sessions. */
export interface SessionLimits {
  readonly max: number;
  readonly idleTimeout: number;
}

/** The sessions of one endpoint, those that were quiet longest first. One timer ends those that nobody uses. */
export class Sessions {
  readonly #setting: SessionSetting;
  readonly #limits: SessionLimits;
  readonly #byId = new Map<string, HttpSession>();
  /** Those that have ended, until the event store has forgotten them. */
  readonly #ending = new Set<Promise<void>>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(setting: SessionSetting, limits: SessionLimits) {
    this.#setting = setting;
    this.#limits = limits;
  }

  /**
   * Makes a session; `undefined` if there are too many that are in use. It counts at once, or handshakes that take long
   * would get past the limit together; nobody can use it before its client is told the id.
   */
  open(principal: string | undefined): HttpSession | undefined {
    if (this.#byId.size >= this.#limits.max && !this.#evict()) return undefined;
    const session = new HttpSession(this.#setting, principal);
    this.#byId.set(session.id, session);
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
      this.#byId.delete(id);
      this.#byId.set(id, session);
    }
    session.lastSeen = now;
    return session;
  }

  /** Ends a session: from now on its id is unknown. */
  end(session: HttpSession, status?: number): void {
    if (this.#byId.delete(session.id)) {
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

  /** Ends the session that was quiet longest, unless it may still be needed. */
  #evict(): boolean {
    const now = performance.now();
    const least = Math.min(EVICTABLE_AFTER_MS, this.#limits.idleTimeout);
    for (const session of this.#byId.values()) {
      if (now - session.lastSeen < least || session.isConnected) continue;
      this.#setting.serving.diagnose({
        level: "warning",
        message: `There are ${this.#limits.max} sessions; the one that was quiet longest made room for another.`,
      });
      this.end(session);
      return true;
    }
    return false;
  }

  #sweep(): void {
    const now = performance.now();
    for (const session of this.#byId.values()) if (this.#isExpired(session, now)) this.end(session);
  }

  #isExpired(session: HttpSession, now: number): boolean {
    return now - session.lastSeen >= this.#limits.idleTimeout && !session.isConnected;
  }
}
