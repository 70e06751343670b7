import type {
  Channel,
  Exchange,
  ExchangeTransport,
  NotificationMessage,
  ProtocolViolation,
  Reply,
  RequestMessage,
} from "@toolwire/protocol";
import { Caller, type CallerOptions } from "@toolwire/protocol/engine";
import type { SessionHandlers } from "../http/legacy/session.ts";
import type { Agreement } from "../negotiation/agreement.ts";
import type { Transport } from "../target/endpoint.ts";

/** Who hears what a server sends unasked. */
export interface WireListener {
  /** A request of a legacy server. */
  request(wire: Wire, request: RequestMessage, reply: Reply): Exchange;
  /** A notification that belongs to no request. */
  notification(message: NotificationMessage): void;
  violation(error: ProtocolViolation): void;
  /** The server has forgotten what was agreed on. */
  expired(wire: Wire): void;
  /** What the server said for a while was heard by nobody, though the connection is the same. */
  missed(): void;
  /** The connection has ended. What was pending has failed already. */
  closed(wire: Wire, reason: Error | undefined): void;
}

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

  /** Opens a transport of either kind. Whoever aborts the signal closes the transport. */
  static async open(
    transport: Transport,
    listener: WireListener,
    options: CallerOptions,
    signal: AbortSignal | undefined,
  ): Promise<Wire> {
    const hasHeaders = "exchange" in transport;
    const wire = new Wire(hasHeaders ? transport : await multiplexed(transport), hasHeaders, options);
    // Whoever gave up meanwhile has closed the transport already; opened now, it would stay open.
    signal?.throwIfAborted();
    await wire.#listen(listener);
    return wire;
  }

  private constructor(transport: ExchangeTransport, hasHeaders: boolean, options: CallerOptions) {
    this.hasHeaders = hasHeaders;
    this.#transport = transport;
    this.caller = new Caller(transport, options);
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
    const handlers: SessionHandlers = {
      request: (request, reply) => listener.request(this, request, reply),
      notification: (message) => listener.notification(message),
      violation: (error) => listener.violation(error),
      expired: () => listener.expired(this),
      missed: () => listener.missed(),
      closed: (reason) => {
        this.#open = false;
        this.#failure = reason;
        listener.closed(this, reason);
      },
      allowsRequests: () => this.agreement?.era !== "modern",
      allowsBatch: () => this.agreement?.revision === "2025-03-26",
    };
    await this.#transport.open(handlers);
  }
}

/** Only channels need this, so it is loaded with the first of them. */
async function multiplexed(channel: Channel): Promise<ExchangeTransport> {
  const { multiplex } = await import("./multiplex.ts");
  return multiplex(channel);
}
