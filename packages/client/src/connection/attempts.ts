import type { Agreement, Terms } from "../eras/era.ts";
import { inTime, untilAborted } from "../waiting.ts";
import { Connection } from "./connection.ts";
import { negotiate } from "./negotiate.ts";
import { closeQuietly, deathOf, openConnection, type Opening } from "./open.ts";

/** Everything that attempts to connect to one server share. */
export interface AttemptOptions extends Omit<Opening, "terms"> {
  readonly terms: Omit<Terms, "signal">;
  /** The milliseconds that one attempt may take, from opening to agreement. */
  readonly connectTimeout: number;
}

/** Gets the outcome of an attempt. */
export interface AttemptListener {
  /** Called when the server has agreed. From here on it may send requests, and the agreement may still have to be confirmed. */
  agreed(agreement: Agreement): void;
  /** Called when the connection can be used. */
  connected(connection: Connection): void;
}

/** Makes connections to one server. Each attempt ends within its time, and nothing of a failed one is left behind. */
export class Attempts {
  readonly #options: AttemptOptions;
  readonly #listener: AttemptListener;
  /** Aborted when no connection is wanted any more. */
  readonly #over: AbortSignal;
  #cleanup: Promise<unknown> | undefined;

  constructor(options: AttemptOptions, listener: AttemptListener, over: AbortSignal) {
    this.#options = options;
    this.#listener = listener;
    this.#over = over;
  }

  /** Opens a transport and agrees with the server. A failed attempt is cleaned up while others go on. */
  connect(signal: AbortSignal | undefined): Promise<Connection> {
    return this.#within(signal, (limit) => {
      const opening: Opening = { ...this.#options, terms: { ...this.#options.terms, signal: limit } };
      const attempt = openConnection(opening).then((connection) => this.#confirm(connection, limit));
      this.cleanUp(attempt);
      return attempt;
    });
  }

  /** Agrees with the server anew, over the transport of a connection whose agreement does not hold any more. */
  renegotiate({ transport, agreement }: Connection): Promise<Connection> {
    return this.#within(undefined, async (limit) => {
      const { eras } = this.#options;
      const terms = { ...this.#options.terms, signal: limit };
      const renegotiated = await negotiate(transport.caller, terms, eras, agreement.era.name);
      return this.#confirm(new Connection(transport, renegotiated, terms), limit);
    });
  }

  /** Adds something that has to end before {@link settled} resolves, such as a lost connection that is being closed. */
  cleanUp(ending: Promise<unknown>): void {
    this.#cleanup = Promise.allSettled([this.#cleanup, ending]).then(() => {});
  }

  /** Resolves when all connections that were lost or given up are closed, including their processes. */
  async settled(): Promise<void> {
    await this.#cleanup;
  }

  async #confirm(connection: Connection, limit: AbortSignal): Promise<Connection> {
    const { transport, agreement } = connection;
    this.#listener.agreed(agreement);
    try {
      const confirmed = agreement.era.confirm?.(connection);
      if (confirmed !== undefined) await untilAborted(confirmed, limit);
      if (!transport.isOpen) throw deathOf(transport);
      limit.throwIfAborted();
    } catch (error) {
      await closeQuietly(transport);
      throw error;
    }
    this.#listener.connected(connection);
    return connection;
  }

  #within<T>(signal: AbortSignal | undefined, work: (limit: AbortSignal) => Promise<T>): Promise<T> {
    const { connectTimeout, terms } = this.#options;
    const message = `No connection within ${connectTimeout} ms. If it may take longer, raise \`connectTimeout\`.`;
    // A silent server is asked in several eras. Questions that it has not answered are given up with the others.
    return inTime(connectTimeout, message, [this.#over, signal], work, true, terms.pausedTime);
  }
}
