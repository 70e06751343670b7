import type { Caller, ClientCapabilities, Implementation, LoggingLevel, Revision } from "@toolwire/protocol";
import { invalidParams } from "../errors.ts";
import type { LegacySession, SessionLink } from "../serving/contract.ts";
import { sendIfPossible, type Listener, type Subscriptions } from "../subscriptions/subscriptions.ts";

/** The most resources that one session may watch. */
const MAX_WATCHED = 1000;

/** What an `initialize` handshake establishes, for as long as the connection or session lasts. Kept small: there may be many. */
export class Session implements LegacySession, Listener {
  revision: Revision | undefined;
  clientInfo: Implementation | undefined;
  clientCapabilities: ClientCapabilities = {};
  /** From which severity on the client gets log messages. The spec leaves the choice of a default to servers. */
  logLevel: LoggingLevel = "info";

  /** What sends questions to the client, once there was one. The ids of all that is asked must differ. */
  caller: Caller | undefined;
  readonly link: SessionLink;
  readonly #subscriptions: Subscriptions;
  #watched: Set<string> | undefined;
  #ending: AbortController | undefined;
  #isClosed = false;

  constructor(link: SessionLink, subscriptions: Subscriptions) {
    this.link = link;
    this.#subscriptions = subscriptions;
  }

  /** The client is ready for notifications that it did not ask for. */
  start(): void {
    if (!this.#isClosed && this.revision !== undefined) this.#subscriptions.add(this);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#subscriptions.delete(this);
    this.#watched = undefined;
    this.#ending?.abort(new DOMException("The session was closed.", "AbortError"));
  }

  /** Fires when the session is closed. */
  get ended(): AbortSignal {
    this.#ending ??= new AbortController();
    return this.#ending.signal;
  }

  watch(uri: string): void {
    this.#watched ??= new Set();
    if (this.#watched.size >= MAX_WATCHED) {
      throw invalidParams(`A session may watch at most ${MAX_WATCHED} resources: unsubscribe from some first.`);
    }
    this.#watched.add(uri);
  }

  unwatch(uri: string): void {
    this.#watched?.delete(uri);
  }

  // What subscriptions need.

  hearsOf(): boolean {
    return true;
  }

  watches(uri: string): boolean {
    return this.#watched?.has(uri) ?? false;
  }

  send(method: string, params: object | undefined): void | Promise<void> {
    return sendIfPossible(() => this.link.notify({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) }));
  }

  /** Legacy sessions have no message that ends a subscription; they end with the connection. */
  end(): void {}
}
