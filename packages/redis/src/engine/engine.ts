import { ClusterError } from "@toolwire/server/cluster";
import type { Link } from "../client/client.ts";
import { Failure, readFailure, unavailable } from "./errors.ts";
import type { Script } from "./script.ts";

/** How long to wait before looking again whether an engine that is down is back: at first, and at most. */
const FIRST_PROBE = 50;
const SLOWEST_PROBE = 1000;

/** After how many times the deadline of silence a connection of our own takes the place of one that may be dead. */
const SILENT_DEADLINES = 2;

/** The code of a call without a reply. */
const SILENT = "silent";

interface Attempt {
  readonly command: readonly string[];
  readonly key: string;
  readonly begun: number;
  readonly deadline: number;
}

/**
 * Calls the engine. Each call has a deadline. Once one has failed, further ones are refused at once until the engine has answered a probe, so
 * that a dead engine does not make each request wait.
 */
export class Engine {
  readonly #given: Link;
  readonly #timeout: number;
  /** What calls are told that come too late. */
  readonly #farewell: string;
  /** The client that was given; or one of our own, since that one fell silent. */
  #link: Link;
  #isUp = true;
  #isClosed = false;
  /** When the engine last replied. */
  #heard = performance.now();
  #probing: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Set<(error: ClusterError) => void>();
  readonly #observers = new Set<(isUp: boolean) => void>();

  constructor(link: Link, timeout: number, farewell = "This node has left its cluster.") {
    this.#given = link;
    this.#link = link;
    this.#timeout = timeout;
    this.#farewell = farewell;
  }

  get isUp(): boolean {
    return this.#isUp && !this.#isClosed;
  }

  /** Tells an observer when the engine goes down, and when it is back. */
  observe(observer: (isUp: boolean) => void): void {
    this.#observers.add(observer);
  }

  /** Connects, and does what comes first. Rejects if that takes too long. */
  async open(timeout: number, first: () => Promise<void>): Promise<void> {
    const opening = this.#given
      .open()
      .then(() => this.#given.send("", ["PING"]))
      .then(first);
    try {
      await this.#within(timeout, opening);
    } catch (error) {
      throw failureOf(error).error;
    }
  }

  /** Runs a command. It may run twice: a connection may break after the engine has done it. */
  async call(key: string, command: readonly string[]): Promise<unknown> {
    return this.#attempt(this.#begin(key, command)).catch((failure: Failure) => {
      throw failure.error;
    });
  }

  /** Runs a script, whose first key decides which server of a cluster runs it. */
  async run(script: Script, keys: readonly string[], parameters: readonly (string | number)[] = []): Promise<unknown> {
    const attempt = this.#begin(keys[0] ?? "", script.command(keys, parameters, true));
    return this.#attempt(attempt).catch((failure: Failure) => {
      if (failure.code !== "NOSCRIPT") throw failure.error;
      return this.call(attempt.key, script.command(keys, parameters, false));
    });
  }

  /** Refuses all calls from now on, and ends those that wait. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#probing);
    for (const fail of this.#waiting) fail(unavailable(this.#farewell));
    if (this.#link !== this.#given) this.#link.destroy();
    this.#given.letGo();
  }

  #begin(key: string, command: readonly string[]): Attempt {
    if (this.#isClosed) throw unavailable(this.#farewell);
    if (!this.#isUp) throw unavailable("The engine cannot be reached. It is tried again all the time.");
    const begun = performance.now();
    return { key, command, begun, deadline: begun + this.#timeout };
  }

  /** Tries again if a connection broke: commands may run twice, and some clients send them again by themselves. Rejects with a failure. */
  async #attempt(attempt: Attempt): Promise<unknown> {
    try {
      return await this.#try(attempt);
    } catch (error) {
      const failure = error as Failure;
      const isLost = !failure.isReply && failure.code === undefined;
      if (isLost && performance.now() < attempt.deadline && !this.#isClosed) return this.#tryAgain(attempt);
      this.#judge(attempt, failure);
      throw failure;
    }
  }

  async #tryAgain(attempt: Attempt): Promise<unknown> {
    try {
      return await this.#try(attempt);
    } catch (error) {
      this.#judge(attempt, error as Failure);
      throw error;
    }
  }

  /** Rejects with a failure. */
  async #try({ key, command, deadline }: Attempt): Promise<unknown> {
    try {
      const reply = await this.#within(deadline - performance.now(), this.#link.send(key, command));
      this.#heard = performance.now();
      return reply;
    } catch (error) {
      const failure = failureOf(error);
      if (failure.isReply) this.#heard = performance.now();
      throw failure;
    }
  }

  /** Decides whether a failure means that the engine is down. One that has answered others meanwhile is slow with this call only. */
  #judge({ begun }: Attempt, { isReply, code }: Failure): void {
    if (isReply || this.#isClosed || !this.#isUp || (code === SILENT && this.#heard > begun)) return;
    this.#isUp = false;
    this.#probe(FIRST_PROBE);
    this.#tell();
  }

  async #within<T>(ms: number, pending: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let fail: (error: ClusterError) => void = () => {};
    const ended = new Promise<never>((_resolve, reject) => {
      fail = reject;
      timer = setTimeout(() => reject(unavailable("The engine has not answered in time.")), Math.max(ms, 0));
    });
    this.#waiting.add(fail);
    try {
      return await Promise.race([pending, ended]);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(fail);
    }
  }

  #probe(wait: number): void {
    this.#probing = setTimeout(() => void this.#look(wait), wait);
    this.#probing.unref();
  }

  async #look(wait: number): Promise<void> {
    const link = this.#link;
    try {
      await this.#within(this.#timeout, link.send("", ["PING"]));
      this.#heard = performance.now();
      this.#isUp = true;
      this.#tell();
    } catch {
      if (this.#isClosed) return;
      // A connection that breaks is replaced by its client; one that swallows everything is not, for a quarter of an hour.
      if (performance.now() - this.#heard > this.#timeout * SILENT_DEADLINES) this.#replace(link);
      this.#probe(Math.min(wait * 2, SLOWEST_PROBE));
    }
  }

  #replace(link: Link): void {
    const next = this.#given.duplicate();
    next.open().catch(() => {});
    this.#link = next;
    this.#heard = performance.now();
    if (link !== this.#given) link.destroy();
  }

  #tell(): void {
    for (const observer of this.#observers) observer(this.#isUp);
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof ClusterError) return new Failure(error, false, SILENT);
  return readFailure(error);
}
