import {
  Caller,
  Multiplexer,
  type CallerOptions,
  type Exchange,
  type ExchangeTransport,
  type NotificationMessage,
  type ProtocolViolation,
  type Reply,
  type RequestMessage,
} from "@toolwire/protocol";
import type { Agreement } from "../negotiation/agreement.ts";
import type { Transport } from "../target/endpoint.ts";

/** Who hears what a server sends unasked. */
export interface WireListener {
  /** A request of a legacy server. */
  request(wire: Wire, request: RequestMessage, reply: Reply): Exchange;
  /** A notification that belongs to no request. */
  notification(message: NotificationMessage): void;
  violation(error: ProtocolViolation): void;
  /** The connection has ended. What was pending has failed already. */
  closed(wire: Wire, reason: Error | undefined): void;
}

/** How many requests of one server may be in the works at once; whoever asks more than that is not asking a user. */
const MAX_SERVER_REQUESTS = 256;

/** An open transport, and the caller that numbers what goes over it. */
export class Wire {
  readonly caller: Caller;
  /** Whether requests travel with headers of their own, as over HTTP. */
  readonly hasHeaders: boolean;
  /** What is spoken here, once that is known. */
  agreement: Agreement | undefined;
  readonly #transport: ExchangeTransport;
  #open = true;
  #failure: Error | undefined;

  /** Opens a transport of either kind. */
  static async open(transport: Transport, listener: WireListener, options: CallerOptions): Promise<Wire> {
    const wire = new Wire(transport, options);
    await wire.#listen(listener);
    return wire;
  }

  private constructor(transport: Transport, options: CallerOptions) {
    this.hasHeaders = "exchange" in transport;
    this.#transport =
      "exchange" in transport ? transport : new Multiplexer(transport, { maxInFlight: MAX_SERVER_REQUESTS });
    this.caller = new Caller(this.#transport, options);
  }

  /** Why it ended, if something failed. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Whether anything can still be sent. */
  get isOpen(): boolean {
    return this.#open;
  }

  notify(message: NotificationMessage): void | Promise<void> {
    return this.#transport.notify(message);
  }

  close(): Promise<void> {
    this.#open = false;
    return this.#transport.close();
  }

  async #listen(listener: WireListener): Promise<void> {
    await this.#transport.open({
      request: (request, reply) => listener.request(this, request, reply),
      notification: (message) => listener.notification(message),
      violation: (error) => listener.violation(error),
      closed: (reason) => {
        this.#open = false;
        this.#failure = reason;
        listener.closed(this, reason);
      },
      allowsBatch: () => this.agreement?.revision === "2025-03-26",
    });
  }
}
