import {
  TransportError,
  type Exchange,
  type NotificationMessage,
  type Reply,
  type RequestMessage,
} from "@toolwire/protocol";
import { UnsentError } from "@toolwire/protocol/internal";
import type { Agreement, Terms } from "./agreement.ts";
import { negotiate } from "./negotiate.ts";
import { inTime, untilAborted, wait } from "../waiting.ts";
import { Backoff, type ReconnectOptions } from "./backoff.ts";
import { Connection } from "./connection.ts";
import { closeQuietly, deathOf, openConnection, type Opening } from "./open.ts";
import { Ending, Forgetfulness, MAX_ENDING_MS, MAX_SHUTDOWN_MS } from "./ending.ts";
import { RepeatedViolations } from "./repeated-violations.ts";
import type { Wire, WireListener } from "./wire.ts";

/** What a link needs to know. */
export interface LinkOptions extends Omit<Opening, "listener" | "terms"> {
  readonly terms: Omit<Terms, "signal">;
  /** Milliseconds that one attempt to connect may take, from opening to agreement. */
  readonly connectTimeout: number;
  readonly reconnect: ReconnectOptions | false | undefined;
  /** A request of a legacy server. */
  readonly request: (wire: Wire, request: RequestMessage, reply: Reply, behalf?: RequestMessage) => Exchange;
  /** A notification that belongs to no request. */
  readonly notification: (message: NotificationMessage) => void;
  /** Something may have been announced that could not be heard. */
  readonly missed: () => void;
  /** There is a connection after there was none for a while: what is remembered of the server may be outdated. */
  reconnected(): void;
}

/** Keeps the connection to one server: opens it, and opens it again when it is lost. */
export class Link {
  /** Resolves when the link is closed for good: with the reason, unless `close()` was called. */
  readonly closed: Promise<Error | undefined>;
  readonly #options: LinkOptions;
  readonly #backoff: Backoff;
  readonly #over = new AbortController();
  #resolveClosed!: (reason: Error | undefined) => void;
  #current: Connection | undefined;
  #agreement: Agreement | undefined;
  /** The wire of the connection, also while what is spoken over it is agreed on anew. */
  #wire: Wire | undefined;
  #coming: Promise<Connection> | undefined;
  /** Resolves when nothing is left of connections that were lost or given up, such as a process that has to be ended. */
  #left: Promise<unknown> | undefined;
  #closing: Promise<void> | undefined;
  /** The connection that takes no more messages, and hands on whoever waits to the one that comes after it. */
  #ending: Ending | undefined;
  readonly #forgetfulness = new Forgetfulness();
  readonly #violations = new RepeatedViolations();

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.reconnect);
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** Connects for the first time: once, because whoever waits wants to know. */
  async connect(signal: AbortSignal | undefined): Promise<Connection> {
    try {
      return await this.#attempt(signal);
    } catch (error) {
      this.#finish(error as Error);
      throw error;
    }
  }

  /** The connection, while there is one. */
  get current(): Connection | undefined {
    return this.#current;
  }

  /** What was agreed on last; it outlives the connection. `undefined` until something was. */
  get agreement(): Agreement | undefined {
    return this.#agreement;
  }

  /** Aborted when the link is closed for good. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The connection, as soon as there is one again. */
  ready(): Promise<Connection> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    const coming = this.#over.signal.aborted ? undefined : this.#coming;
    return coming ?? this.#gone();
  }

  /** What became of a request: a connection that ends under it was lost, unless this side closed it. */
  explain(error: unknown): unknown {
    if (!(error instanceof TransportError)) return error;
    const isUnsent = error instanceof UnsentError;
    if (error.code !== "CLOSED" && !isUnsent) return error;
    if (this.#over.signal.aborted) return this.#over.signal.reason;
    if (isUnsent) return new TransportError("CONNECTION_LOST", error.message, { cause: error.cause });
    const message = "The connection was lost before the answer came; whether the request took effect is unknown.";
    return new TransportError("CONNECTION_LOST", message, { cause: error });
  }

  /** Agrees with the server anew over the same wire, because it has forgotten or changed what was agreed on. */
  renew(stale: Connection): Promise<Connection> {
    // Of all calls that find out, the first acts.
    if (this.#current === stale) this.#coming = this.#await(this.#renegotiate(stale));
    return this.ready();
  }

  /** The server takes no more requests over this connection, because it shuts down. It still answers those that it has. */
  retire({ wire }: Connection): void {
    this.#end(wire, MAX_SHUTDOWN_MS);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Not at once: an application that calls again and again would keep everything else from running. */
  async #gone(): Promise<never> {
    await wait(0, undefined);
    throw this.#over.signal.reason;
  }

  #listenTo(wire: Wire): ReturnType<WireListener> {
    const { request, notification, missed, diagnose } = this.#options;
    return {
      request: (asked, reply, behalf) => request(wire, asked, reply, behalf),
      notification,
      missed,
      violation: (error) => {
        const message = this.#violations.describe(error);
        // An answer that crosses a cancellation on its way is nobody's fault.
        const level = error.code === "LATE_RESPONSE" ? "debug" : "warning";
        if (message !== undefined) diagnose({ level, message, error });
      },
      expired: () => this.#expired(wire),
      outputEnded: () => this.#end(wire, MAX_ENDING_MS),
      closed: (reason) => this.#lost(wire, reason),
    };
  }

  /** Nothing can be sent any more. Calls that come now wait for the next connection, those under way for their answers. */
  #end(wire: Wire, ms: number): void {
    const connection = this.#current;
    if (connection?.wire !== wire || this.#over.signal.aborted) return;
    this.#current = undefined;
    const reason = new TransportError("CONNECTION_LOST", "It took no more messages.");
    this.#ending = new Ending(connection, ms, () => this.#lost(wire, reason));
    this.#coming = this.#ending.successor;
  }

  #lost(wire: Wire, reason: Error | undefined): void {
    if (this.#wire !== wire) return;
    this.#wire = undefined;
    this.#current?.over.abort();
    this.#current = undefined;
    if (this.#over.signal.aborted) return;
    this.#leave(closeQuietly(wire));
    const message =
      reason === undefined ? "The server closed the connection." : `The connection was lost: ${reason.message}`;
    if (!this.#reopens) {
      this.#finish(new TransportError("CONNECTION_LOST", message, { cause: reason }));
      return;
    }
    this.#options.diagnose({ level: "info", message: `${message} Connecting again.`, error: reason });
    this.#coming = this.#await(this.#reconnect(message, reason));
    this.#ending?.succeed(this.#coming);
    this.#ending = undefined;
  }

  /** Without a session there is no word of the server unless it is asked, so nobody can be left to find out. */
  #expired(wire: Wire): void {
    const current = this.#current;
    if (current?.wire !== wire || current.agreement.era !== "legacy") return;
    this.renew(current).catch((error: unknown) => {
      if (wire.isOpen && this.#reopens) this.#lost(wire, error as Error);
    });
  }

  get #reopens(): boolean {
    return this.#options.endpoint.reopens && this.#options.reconnect !== false;
  }

  /** Nobody may be waiting when it fails; whoever comes later is told by {@link ready}. */
  #await(coming: Promise<Connection>): Promise<Connection> {
    coming.catch(() => {});
    return coming;
  }

  async #reconnect(message: string, reason: unknown): Promise<Connection> {
    let cause = reason;
    for (let delay = this.#backoff.failed(); delay !== undefined; delay = this.#backoff.failed()) {
      await wait(delay, this.#over.signal);
      try {
        const connection = await this.#attempt(undefined);
        this.#options.reconnected();
        return connection;
      } catch (error) {
        if (this.#over.signal.aborted) throw this.#over.signal.reason;
        cause = error;
        this.#options.diagnose({
          level: "info",
          // Anything can be thrown by whoever makes transports.
          message: `Could not connect again: ${String(error)}`,
          error,
        });
      }
    }
    const error = new TransportError("CONNECTION_LOST", `${message} Could not connect again.`, { cause });
    this.#finish(error);
    throw error;
  }

  /** One attempt to connect, within its time. What is left of one that has failed is ended while others go on. */
  #attempt(signal: AbortSignal | undefined): Promise<Connection> {
    return this.#within(signal, (limit) => {
      const { terms } = this.#options;
      const opening: Opening = {
        ...this.#options,
        terms: { ...terms, signal: limit },
        listener: (wire) => this.#listenTo(wire),
      };
      const attempt = openConnection(opening).then((connection) => this.#adopt(connection, limit));
      this.#leave(attempt);
      return attempt;
    });
  }

  #leave(ending: Promise<unknown>): void {
    this.#left = Promise.allSettled([this.#left, ending]).then(() => {});
  }

  async #renegotiate(stale: Connection): Promise<Connection> {
    this.#current = undefined;
    const { wire, agreement } = stale;
    const pause = agreement.era === "legacy" ? this.#forgetfulness.pauseAfter(stale) : 0;
    try {
      if (pause > 0) await wait(pause, this.#over.signal);
      const renewed = await this.#within(undefined, async (limit) => {
        const terms = { ...this.#options.terms, signal: limit };
        return this.#adopt(new Connection(wire, await negotiate(wire.caller, terms, agreement.era), terms), limit);
      });
      this.#forgetfulness.renewed();
      stale.over.abort();
      // A modern server keeps nothing that it could have lost.
      const isUnchanged = agreement.era === "modern" && renewed.agreement.revision === agreement.revision;
      if (!isUnchanged) this.#options.reconnected();
      return renewed;
    } catch (error) {
      // The next call will find out for itself whether the server has come to its senses.
      if (wire.isOpen && !this.#over.signal.aborted) {
        this.#current = stale;
        this.#coming = undefined;
      } else {
        // Nobody else knows of it any more, and whoever counts on it has to be told.
        stale.over.abort();
      }
      throw error;
    }
  }

  /** From here on the server may be told that all is ready, and ask things. */
  async #adopt(connection: Connection, limit: AbortSignal): Promise<Connection> {
    const { wire, agreement } = connection;
    this.#agreement = agreement;
    try {
      if (agreement.era === "legacy") {
        await untilAborted(Promise.resolve(connection.notify("notifications/initialized", undefined)), limit);
      }
      if (!wire.isOpen) throw deathOf(wire);
      limit.throwIfAborted();
    } catch (error) {
      await closeQuietly(wire);
      throw error;
    }
    this.#backoff.succeeded();
    this.#coming = undefined;
    this.#wire = wire;
    this.#current = connection;
    return connection;
  }

  #within<T>(signal: AbortSignal | undefined, work: (limit: AbortSignal) => Promise<T>): Promise<T> {
    const { connectTimeout } = this.#options;
    const message = `No connection within ${connectTimeout} ms. If it may take longer, raise \`connectTimeout\`.`;
    // A silent server is asked in both eras: nobody waits any more for what it has not answered.
    return inTime(connectTimeout, message, [this.#over.signal, signal], work, true);
  }

  async #close(): Promise<void> {
    const wire = this.#wire;
    this.#finish(undefined);
    this.#current?.over.abort();
    this.#current = undefined;
    await wire?.close();
    // Nothing may be left behind, be it of a connection that was lost or of one that was to come.
    await Promise.allSettled([this.#coming, this.#left]);
  }

  #finish(reason: Error | undefined): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort(reason ?? new TransportError("CLOSED", "The client is closed: connect again."));
    this.#ending?.succeed(this.#gone());
    this.#ending = undefined;
    this.#resolveClosed(reason);
  }
}
