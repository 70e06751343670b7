import type { Client, ClientOptions } from "@toolwire/client";
import { handlersFor, passCompletion } from "../questions/call-questions.ts";
import type { Clear } from "../text/clear.ts";
import { KeptConnection } from "./kept-connection.ts";
import { Leases } from "./leases.ts";

/** How connections to an upstream are opened and kept. */
export interface ConnectionsOptions {
  readonly upstream: string;
  /** Opens a connection with these options. */
  connect(options: ClientOptions): Promise<Client>;
  /** Options that every connection is opened with. */
  readonly shared: ClientOptions;
  /** Milliseconds without a use after which the shared connection is closed; `Infinity` keeps it. */
  readonly idleTimeout: number;
  /** The most connections of calls whose callers can be asked something. */
  readonly maxLeases: number;
  /** Milliseconds that a call waits for such a connection. */
  readonly timeout: number;
  /** Whether a modern server sends the log messages of a call as part of its response, as over HTTP. */
  readonly keepsLogsApart: boolean;
  /** Clears questions. */
  readonly clear: Clear;
  /** Hears of each shared connection that was opened, and of each that failed. */
  opened(client: Client): void;
  failed(error: Error): void;
}

/**
 * The connections to an upstream for one principal, or for all: one that calls share, and more for calls in which a legacy server
 * may ask the caller something.
 */
export class Connections {
  readonly shared: KeptConnection;
  readonly leases: Leases;
  readonly #keepsLogsApart: boolean;
  /** The principal that used the shared connection first, and whether others have. */
  #firstUser: string | undefined;
  #hasUser = false;
  #isMixed = false;

  constructor(options: ConnectionsOptions) {
    const { upstream, shared, maxLeases, timeout, clear } = options;
    this.#keepsLogsApart = options.keepsLogsApart;
    this.shared = new KeptConnection({
      open: (signal) => options.connect({ ...shared, signal }),
      idleTimeout: options.idleTimeout,
      opened: (client) => options.opened(client),
      failed: (error) => options.failed(error),
    });
    this.leases = new Leases({
      upstream,
      open: (capabilities, current, signal) =>
        options.connect({
          ...shared,
          ...handlersFor(capabilities, current),
          capabilities: { ...(capabilities.extensions && { extensions: capabilities.extensions }) },
          onNotification: (message) => passCompletion(current(), message),
          era: "legacy",
          signal,
        }),
      max: maxLeases,
      clear,
      timeout,
    });
  }

  /** How many are open. */
  get size(): number {
    return (this.shared.client === undefined ? 0 : 1) + this.leases.size;
  }

  /** Begins a request of a principal. */
  begin(principal: string | undefined): void {
    this.shared.hold();
    if (!this.#hasUser) {
      this.#hasUser = true;
      this.#firstUser = principal;
    } else if (this.#firstUser !== principal) this.#isMixed = true;
  }

  /** Ends a request. */
  end(): void {
    this.shared.release();
  }

  /** Whether log messages of the shared connection can be those of another principal. */
  mixesLogs(client: Client): boolean {
    return this.#isMixed && !(this.#keepsLogsApart && client.era === "modern");
  }

  /** Closes all until they are needed again. */
  async restart(): Promise<void> {
    await Promise.all([this.shared.restart(), this.leases.reset()]);
  }

  /** Closes all for good, and waits for processes to end. */
  async close(): Promise<void> {
    await Promise.all([this.shared.close(), this.leases.close()]);
  }
}
