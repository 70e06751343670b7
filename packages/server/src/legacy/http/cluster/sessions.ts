import type { Cluster } from "../../../cluster/cluster.ts";
import type { SessionRecord } from "../../../cluster/sessions.ts";
import { releaseTimer } from "../../../timers.ts";
import type { SessionDirectory } from "../session-directory.ts";
import type { HttpSession, SessionOwner, SessionSettings } from "../session.ts";
import { listenToNodes } from "./inbox.ts";
import { reach, tellAll } from "./reach.ts";
import { ClusterSession } from "./session.ts";
import { type SharedLimits, SharedRecord } from "./shared-record.ts";

/** The form of the ids that servers make. Nothing else is looked up. */
const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** How long a session that is used here goes without being prolonged in the engine, at most. */
const TOUCH_AFTER_MS = 30_000;

/** After how long what other nodes may have changed is read again. */
const READ_AFTER_MS = 60_000;

/** How long this node remembers a session that is not used here. */
const FORGET_AFTER_MS = 5 * 60_000;

/**
 * The sessions of one node: those that it knows, in front of those that the engine keeps. Any node can serve any of them, and what a
 * node knows can be dropped at any time.
 */
export class ClusterSessions implements SessionDirectory {
  readonly #cluster: Cluster;
  readonly #settings: SessionSettings;
  readonly #limits: SharedLimits;
  /** The sessions that this node knows, ordered by their last use. */
  readonly #views = new Map<string, ClusterSession>();
  /** Sessions that are being looked up. */
  readonly #loading = new Map<string, Promise<SessionRecord | undefined>>();
  readonly #touchAfter: number;
  readonly #stopListening: () => void;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(cluster: Cluster, settings: SessionSettings, limits: SharedLimits) {
    this.#cluster = cluster;
    this.#settings = settings;
    this.#limits = limits;
    this.#touchAfter = Math.min(TOUCH_AFTER_MS, limits.idleTimeout / 10);
    this.#stopListening = listenToNodes(cluster, {
      views: this.#views,
      settings,
      drop: (session) => this.#lose(session),
    });
    this.#timer = setInterval(() => this.#sweep(), Math.max(this.#touchAfter, 10));
    releaseTimer(this.#timer);
  }

  open(principal: string | undefined, caller: string | undefined): ClusterSession {
    const record = new SharedRecord(this.#cluster, this.#limits, { id: crypto.randomUUID(), client: caller });
    const session = this.#createView({ principal, caller }, record);
    record.onCreated = () => this.#remember(session);
    return session;
  }

  find(id: string, principal: string | undefined): ClusterSession | undefined | Promise<ClusterSession | undefined> {
    const session = this.#views.get(id);
    if (session === undefined) return SESSION_ID.test(id) ? this.#load(id, principal) : undefined;
    if (session.principal !== principal) return undefined;
    const now = performance.now();
    const { record } = session;
    // A client is not told of a change by its nodes but by its own next request, which may be faster.
    if (record.isStale || !record.isReady || now - record.confirmedAt >= this.#limits.idleTimeout) {
      return this.#reload(session);
    }
    if (now - record.touchedAt >= this.#touchAfter) void this.#prolong(session, now);
    this.#use(session, now);
    return session;
  }

  async end(given: HttpSession, status?: number): Promise<void> {
    const session = given as ClusterSession;
    if (session.record.isKept) {
      await reach(this.#cluster.sessions.end(session.id));
      tellAll(this.#cluster, "legacy.ended", { session: session.id });
    }
    this.#forget(session);
    await session.close(status);
  }

  endStreams(): void {
    for (const session of this.#views.values()) session.endStreams();
  }

  /** Lets go of all sessions, which go on at other nodes. Resolves when all that their clients have not got is in the log. */
  async close(status: number): Promise<void> {
    clearInterval(this.#timer);
    const views = [...this.#views.values()];
    await Promise.all(views.flatMap((session) => [session.standalone.end(), session.spilled()]));
    this.#stopListening();
    this.#views.clear();
    await Promise.all(views.map((session) => session.close(status)));
  }

  /** Finds a session in the engine. */
  async #load(id: string, principal: string | undefined): Promise<ClusterSession | undefined> {
    let loading = this.#loading.get(id);
    if (loading === undefined) {
      loading = reach(this.#cluster.sessions.get(id)).finally(() => this.#loading.delete(id));
      this.#loading.set(id, loading);
    }
    const known = await loading;
    if (known === undefined) return undefined;
    const view = this.#views.get(id);
    // Another request may have been faster.
    if (view !== undefined) return view.principal === principal ? view : undefined;
    const record = new SharedRecord(this.#cluster, this.#limits, { id, client: known.client, known });
    const session = this.#createView({ principal, caller: known.client }, record);
    if (session.state.revision === undefined) {
      // It belongs to another caller, or to another server of the same cluster.
      session.state.close();
      return undefined;
    }
    this.#remember(session);
    void this.#prolong(session, performance.now());
    return session;
  }

  /** Reads what other nodes may have changed. */
  async #reload(session: ClusterSession): Promise<ClusterSession | undefined> {
    if ((await session.record.read()) === undefined) {
      this.#lose(session);
      return undefined;
    }
    this.#use(session, performance.now());
    return session;
  }

  #createView(owner: SessionOwner, record: SharedRecord): ClusterSession {
    return new ClusterSession(this.#cluster, this.#settings, owner, record);
  }

  /** Notes that a session was used. The order by last use is kept roughly. */
  #use(session: ClusterSession, now: number): void {
    if (now - session.lastSeen > 1000 && this.#views.delete(session.id)) this.#views.set(session.id, session);
    session.lastSeen = now;
  }

  #remember(session: ClusterSession): void {
    this.#views.set(session.id, session);
    if (this.#views.size <= this.#limits.max) return;
    for (const oldest of this.#views.values()) {
      if (oldest.isBusy || oldest === session) continue;
      this.#dropView(oldest);
      return;
    }
  }

  /** Prolongs a session in the engine. While that is down, sessions that are known go on. */
  async #prolong(session: ClusterSession, now: number): Promise<void> {
    const { record } = session;
    record.touchedAt = now;
    try {
      const isThere = await record.touch();
      const hasEnded = !isThere || (now - record.readAt >= READ_AFTER_MS && (await record.read()) === undefined);
      if (hasEnded) this.#lose(session);
    } catch {
      // The next use of the session tries again.
    }
  }

  /** A session has ended elsewhere, or was idle for too long. */
  #lose(session: ClusterSession): void {
    this.#forget(session);
    void session.close(410);
  }

  /** Frees the memory for a session that goes on elsewhere. What is kept of its streams here stays. */
  #dropView(session: ClusterSession): void {
    this.#forget(session);
    session.state.close();
  }

  #forget(session: ClusterSession): void {
    if (this.#views.get(session.id) === session) this.#views.delete(session.id);
  }

  #sweep(): void {
    const now = performance.now();
    for (const session of this.#views.values()) {
      const { record } = session;
      if (session.isConnected && now - record.touchedAt >= this.#touchAfter) void this.#prolong(session, now);
      else if (!session.isBusy && now - session.lastSeen >= FORGET_AFTER_MS) this.#dropView(session);
    }
  }
}
