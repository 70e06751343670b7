import {
  AuthError,
  type Exchange,
  type NotificationMessage,
  type Reply,
  type RequestMessage,
  RpcError,
  TransportError,
} from "@toolwire/protocol";
import { UnsentError } from "@toolwire/protocol/internal";
import type { Agreement } from "../eras/era.ts";
import { explainMissingScopes } from "../transports/refusal.ts";
import { wait } from "../waiting.ts";
import { type AttemptOptions, Attempts } from "./attempts.ts";
import { Backoff, type ReconnectOptions } from "./backoff.ts";
import type { Connection } from "./connection.ts";
import type { OpenTransport, TransportListener } from "./open-transport.ts";
import { closeQuietly } from "./open.ts";
import { RepeatedViolations } from "./repeated-violations.ts";
import { MAX_ENDING_MS, MAX_SHUTDOWN_MS, RetiringConnection, SessionRenewals } from "./retiring.ts";

/** The settings and listeners of a link. */
export interface LinkOptions extends Omit<AttemptOptions, "listener"> {
  readonly reconnect: ReconnectOptions | false | undefined;
  /** Gets requests of the server, in eras in which it sends some. */
  readonly request: (
    transport: OpenTransport,
    request: RequestMessage,
    reply: Reply,
    behalf?: RequestMessage,
  ) => Exchange;
  /** Gets notifications that belong to no request. */
  readonly notification: (message: NotificationMessage) => void;
  /** Called when announcements of the server may have been lost. */
  readonly missed: () => void;
  /** Called when there is a new connection after a loss: everything known of the server may be outdated. */
  reconnected(): void;
}

/** Keeps the connection to one server: opens it, and opens it again when it is lost. */
export class Link {
  /** Resolves when the link is closed for good: with the reason, unless `close()` was called. */
  readonly closed: Promise<Error | undefined>;
  readonly #options: LinkOptions;
  readonly #attempts: Attempts;
  readonly #backoff: Backoff;
  readonly #over = new AbortController();
  #resolveClosed!: (reason: Error | undefined) => void;
  #current: Connection | undefined;
  #agreement: Agreement | undefined;
  /** The transport of the connection, also during a new negotiation over it. */
  #transport: OpenTransport | undefined;
  /** The next connection, while there is none. */
  #next: Promise<Connection> | undefined;
  #closing: Promise<void> | undefined;
  /** The connection that takes no more messages. Calls that wait are passed on to the next connection. */
  #retiring: RetiringConnection | undefined;
  readonly #renewals = new SessionRenewals();
  readonly #violations = new RepeatedViolations();

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#attempts = new Attempts(
      { ...options, listener: (transport) => this.#listenTo(transport) },
      {
        agreed: (agreement) => {
          this.#agreement = agreement;
        },
        connected: (connection) => this.#adopt(connection),
      },
      this.#over.signal,
    );
    this.#backoff = new Backoff(options.reconnect);
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** Connects for the first time, in a single attempt. */
  async connect(signal: AbortSignal | undefined): Promise<Connection> {
    try {
      return await this.#attempts.connect(signal);
    } catch (error) {
      this.#finish(error as Error);
      throw error;
    }
  }

  /** The connection, while there is one. */
  get current(): Connection | undefined {
    return this.#current;
  }

  /** The latest agreement, which outlives the connection. `undefined` before the first. */
  get agreement(): Agreement | undefined {
    return this.#agreement;
  }

  /** Aborted when the link is closed for good. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Resolves to the connection, as soon as there is one again. */
  ready(): Promise<Connection> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    const next = this.#over.signal.aborted ? undefined : this.#next;
    return next ?? this.#rejectLater();
  }

  /**
   * Explains the error of a request: a connection that ends during a request was lost, unless this side closed it. Missing scopes are
   * the same, whichever way the server tells of them.
   */
  explain(error: unknown): unknown {
    if (error instanceof RpcError) return explainMissingScopes(error) ?? error;
    if (!(error instanceof TransportError)) return error;
    const isUnsent = error instanceof UnsentError;
    if (error.code !== "CLOSED" && !isUnsent) return error;
    if (this.#over.signal.aborted) return this.#over.signal.reason;
    if (isUnsent) return new TransportError("CONNECTION_LOST", error.message, { cause: error.cause });
    const message = "The connection was lost before the answer came; whether the request took effect is unknown.";
    return new TransportError("CONNECTION_LOST", message, { cause: error });
  }

  /** Negotiates anew over the same transport, because the server has forgotten or changed the agreement. */
  renew(stale: Connection): Promise<Connection> {
    // Several calls may find out at once; the first of them acts.
    if (this.#current === stale) this.#next = handled(this.#renegotiate(stale));
    return this.ready();
  }

  /** Takes a connection out of use whose server shuts down: it takes no more requests, but still answers earlier ones. */
  retire({ transport }: Connection): void {
    this.#retire(transport, MAX_SHUTDOWN_MS);
  }

  /** Closes the link for good. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Rejects after a turn of the event loop: an application that retries in a loop would block everything else. */
  async #rejectLater(): Promise<never> {
    await wait(0, undefined);
    throw this.#over.signal.reason;
  }

  #listenTo(transport: OpenTransport): ReturnType<TransportListener> {
    const { request, notification, missed, diagnose } = this.#options;
    return {
      request: (asked, reply, behalf) => request(transport, asked, reply, behalf),
      notification,
      violation: (error) => {
        const message = this.#violations.describe(error);
        // A response that crosses a cancellation is nobody's fault.
        const level = error.code === "LATE_RESPONSE" ? "debug" : "warning";
        if (message !== undefined) diagnose({ level, message, error });
      },
      session: { expired: () => this.#sessionLost(transport), missed },
      outputEnded: () => this.#retire(transport, MAX_ENDING_MS),
      closed: (reason) => this.#lost(transport, reason),
    };
  }

  /** Nothing can be sent any more. New calls wait for the next connection, calls under way for their responses. */
  #retire(transport: OpenTransport, ms: number): void {
    const connection = this.#current;
    if (connection?.transport !== transport || this.#over.signal.aborted) return;
    this.#current = undefined;
    const reason = new TransportError("CONNECTION_LOST", "It took no more messages.");
    this.#retiring = new RetiringConnection(connection, ms, () => this.#lost(transport, reason));
    this.#next = this.#retiring.successor;
  }

  #lost(transport: OpenTransport, reason: Error | undefined): void {
    if (this.#transport !== transport) return;
    this.#transport = undefined;
    this.#current?.over.abort();
    this.#current = undefined;
    if (this.#over.signal.aborted) return;
    this.#attempts.cleanUp(closeQuietly(transport));
    const message =
      reason === undefined ? "The server closed the connection." : `The connection was lost: ${reason.message}`;
    if (!this.#reopens) {
      this.#finish(new TransportError("CONNECTION_LOST", message, { cause: reason }));
      return;
    }
    this.#options.diagnose({ level: "info", message: `${message} Connecting again.`, error: reason });
    this.#next = handled(this.#reconnect(message, reason));
    this.#retiring?.succeed(this.#next);
    this.#retiring = undefined;
  }

  /** Opens a new session at once: without one, the server sends nothing on its own, and no call may come to find out. */
  #sessionLost(transport: OpenTransport): void {
    const current = this.#current;
    if (current?.transport !== transport || !current.agreement.era.hasSessions) return;
    this.renew(current).catch((error: unknown) => {
      if (transport.isOpen && this.#reopens) this.#lost(transport, error as Error);
    });
  }

  get #reopens(): boolean {
    return this.#options.endpoint.reopens && this.#options.reconnect !== false;
  }

  async #reconnect(message: string, reason: unknown): Promise<Connection> {
    let cause = reason;
    for (let delay = this.#backoff.failed(); delay !== undefined; delay = this.#backoff.failed()) {
      await wait(delay, this.#over.signal);
      try {
        const connection = await this.#attempts.connect(undefined);
        this.#options.reconnected();
        return connection;
      } catch (error) {
        if (this.#over.signal.aborted) throw this.#over.signal.reason;
        cause = error;
        this.#options.diagnose({
          level: "info",
          // The function that makes transports is the application's: it can throw any value.
          message: `Could not connect again: ${String(error)}`,
          error,
        });
        if (this.#isLoginFailure(error)) break;
      }
    }
    const error = new TransportError("CONNECTION_LOST", `${message} Could not connect again.`, { cause });
    this.#finish(error);
    throw error;
  }

  /** Whether a login has failed, so that another attempt would only start another one. */
  #isLoginFailure(error: unknown): boolean {
    const hasLogins = this.#options.endpoint.authServer !== undefined;
    return hasLogins && error instanceof AuthError && error.code !== "TEMPORARY";
  }

  async #renegotiate(stale: Connection): Promise<Connection> {
    this.#current = undefined;
    const { transport, agreement } = stale;
    const { era } = agreement;
    const pause = era.hasSessions ? this.#renewals.pauseAfter(stale) : 0;
    try {
      if (pause > 0) await wait(pause, this.#over.signal);
      const renewed = await this.#attempts.renegotiate(stale);
      this.#renewals.renewed();
      stale.over.abort();
      // A server without sessions keeps nothing that it could have lost.
      const isUnchanged = !era.hasSessions && renewed.agreement.revision === agreement.revision;
      if (!isUnchanged) this.#options.reconnected();
      return renewed;
    } catch (error) {
      if (transport.isOpen && !this.#over.signal.aborted) {
        // The next call finds out whether the server has recovered.
        this.#current = stale;
        this.#next = undefined;
      } else {
        // Nothing else refers to this connection any more.
        stale.over.abort();
      }
      throw error;
    }
  }

  /** Makes a connection the current one. */
  #adopt(connection: Connection): void {
    this.#backoff.succeeded();
    this.#next = undefined;
    this.#transport = connection.transport;
    this.#current = connection;
  }

  async #close(): Promise<void> {
    const transport = this.#transport;
    this.#finish(undefined);
    this.#current?.over.abort();
    this.#current = undefined;
    await transport?.close();
    // Neither lost connections nor one that is being opened may be left behind.
    await Promise.allSettled([this.#next, this.#attempts.settled()]);
  }

  #finish(reason: Error | undefined): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort(reason ?? new TransportError("CLOSED", "The client is closed: connect again."));
    this.#retiring?.succeed(this.#rejectLater());
    this.#retiring = undefined;
    this.#resolveClosed(reason);
  }
}

/** Prevents an unhandled rejection when no call waits for the connection. Later calls are told by {@link Link.ready}. */
function handled(next: Promise<Connection>): Promise<Connection> {
  next.catch(() => {});
  return next;
}
