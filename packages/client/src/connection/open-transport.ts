import {
  type Channel,
  type ExchangeTransport,
  type NotificationMessage,
  type PeerHandlers,
  TransportError,
} from "@toolwire/protocol";
import { Caller, type CallerOptions, Multiplexer } from "@toolwire/protocol/internal";
import type { Agreement, ClientEra } from "../eras/era.ts";
import type { GuardedObserver } from "../guarded-observer.ts";
import type { Transport } from "../target/endpoint.ts";
import type { SendsSecrets } from "../transports/sent-secrets.ts";
import { ObservedCaller } from "./observed-caller.ts";

/** How many requests of one server may be answered at once. No user can be asked more than that. */
export const MAX_SERVER_REQUESTS = 256;

/** Makes an exchange transport of a channel: matches responses to requests by id. */
function multiplex(channel: Channel): ExchangeTransport {
  return new ClientMultiplexer(channel, { maxInFlight: MAX_SERVER_REQUESTS });
}

class ClientMultiplexer extends Multiplexer {
  #death: Error | undefined;

  override closed(reason?: Error): void {
    this.#death = reason ?? new TransportError("CLOSED", "The connection was closed.");
    super.closed(reason);
  }

  /** Rejects if the channel ends while the notification waits for room: a channel resolves all waits when it ends. */
  override notify(message: NotificationMessage): void | Promise<void> {
    const room = super.notify(message) as Promise<void> | undefined;
    return room?.then(() => {
      if (this.#death !== undefined) throw this.#death;
    });
  }
}

/** Makes the handlers for messages that a server sends on its own. */
export type TransportListener = (transport: OpenTransport) => Omit<PeerHandlers, "rules">;

/** The settings of the caller of a transport. */
export interface TransportCallerOptions extends CallerOptions {
  readonly observer?: GuardedObserver | undefined;
}

/** An open transport, and the caller that numbers the requests on it. */
export class OpenTransport {
  readonly caller: Caller;
  /** The agreement with the server, once it is reached. */
  agreement: Agreement | undefined;
  /** Whether anything can still be sent. */
  isOpen = true;
  /** Why it ended, if something failed. */
  failure: Error | undefined;
  readonly #transport: ExchangeTransport;
  readonly #given: Partial<SendsSecrets>;

  /** Opens a transport of either kind. The caller closes the transport when the signal aborts. */
  static async open(
    transport: Transport,
    eras: readonly ClientEra[],
    listener: TransportListener,
    options: TransportCallerOptions,
    signal: AbortSignal,
  ): Promise<OpenTransport> {
    const open = new OpenTransport("exchange" in transport ? transport : multiplex(transport), transport, options);
    // An aborted transport is closed already. If it were opened now, it would stay open.
    signal.throwIfAborted();
    const handlers = listener(open);
    // Before there is an agreement, any of the eras may turn out to be the one that is spoken.
    const mayAsk = eras.some((era) => era.answerRequest !== undefined);
    await open.#transport.open({
      ...handlers,
      closed(reason) {
        open.isOpen = false;
        open.failure = reason;
        handlers.closed?.(reason);
      },
      rules: {
        allowsRequests: () => (open.agreement ? open.agreement.era.answerRequest !== undefined : mayAsk),
        // Lines that are no messages are not answered: servers print logs to their output by mistake.
        allowsErrorsWithoutId: () => false,
        allowsBatch: () => open.agreement?.era.allowsBatch(open.agreement.revision) === true,
      },
    } satisfies PeerHandlers);
    return open;
  }

  private constructor(transport: ExchangeTransport, given: object, options: TransportCallerOptions) {
    this.#transport = transport;
    this.#given = given as Partial<SendsSecrets>;
    const { observer } = options;
    this.caller =
      observer === undefined
        ? new Caller(transport, options)
        : new ObservedCaller(transport, options, observer, () => this.agreement);
  }

  /** Whether requests travel with headers of their own, as over HTTP. */
  get hasHeaders(): boolean {
    return this.#transport.hasHeaders === true;
  }

  /** Clears a text of the server of the credentials that were sent to it. Transports of others leave it as it is. */
  clear(text: string): string {
    return this.#given.clear?.(text) ?? text;
  }

  notify(message: NotificationMessage): void | Promise<void> {
    return this.#transport.notify(message);
  }

  close(): Promise<void> {
    this.isOpen = false;
    return this.#transport.close();
  }
}
