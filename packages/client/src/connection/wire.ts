import {
  type Channel,
  type ExchangeTransport,
  type NotificationMessage,
  type PeerHandlers,
  TransportError,
} from "@toolwire/protocol";
import { Caller, type CallerOptions, Multiplexer } from "@toolwire/protocol/internal";
import type { Agreement } from "./agreement.ts";
import type { Transport } from "../target/endpoint.ts";

/** How many requests of one server may be in the works at once; whoever asks more than that is not asking a user. */
export const MAX_SERVER_REQUESTS = 256;

/** Makes exchanges of a channel: responses are matched to requests by id. */
export function multiplex(channel: Channel): ExchangeTransport {
  return new ClientMultiplexer(channel, { maxInFlight: MAX_SERVER_REQUESTS });
}

class ClientMultiplexer extends Multiplexer {
  #death: Error | undefined;

  override closed(reason?: Error): void {
    this.#death = reason ?? new TransportError("CLOSED", "The connection was closed.");
    super.closed(reason);
  }

  /** A channel that ends lets go of whoever waits for room in it, whether or not anybody has read what they sent. */
  override notify(message: NotificationMessage): void | Promise<void> {
    const room = super.notify(message) as Promise<void> | undefined;
    return room?.then(() => {
      if (this.#death !== undefined) throw this.#death;
    });
  }
}

/** Who hears what a server sends unasked over a wire. */
export type WireListener = (
  wire: Wire,
) => Omit<PeerHandlers, "allowsBatch" | "allowsErrorsWithoutId" | "allowsRequests">;

/** An open transport, and the caller that numbers what goes over it. */
export class Wire {
  readonly caller: Caller;
  /** What is spoken here, once that is known. */
  agreement: Agreement | undefined;
  /** Whether anything can still be sent. */
  isOpen = true;
  /** Why it ended, if something failed. */
  failure: Error | undefined;
  readonly #transport: ExchangeTransport;

  /** Opens a transport of either kind. Whoever aborts the signal closes the transport. */
  static async open(
    transport: Transport,
    listener: WireListener,
    options: CallerOptions,
    signal: AbortSignal,
  ): Promise<Wire> {
    // Only channels need the multiplexer, so it is loaded with the first of them.
    const exchanges = "exchange" in transport ? transport : (await import("./wire.ts")).multiplex(transport);
    const wire = new Wire(exchanges, options);
    // Whoever gave up meanwhile has closed the transport already; opened now, it would stay open.
    signal.throwIfAborted();
    const handlers = listener(wire);
    await wire.#transport.open({
      ...handlers,
      closed(reason) {
        wire.isOpen = false;
        wire.failure = reason;
        handlers.closed?.(reason);
      },
      allowsRequests: () => wire.agreement?.era !== "modern",
      // What a server cannot be meant by is a stray line of its log, or noise: there is nobody to answer.
      allowsErrorsWithoutId: () => false,
      allowsBatch: () => wire.agreement?.revision === "2025-03-26",
    } satisfies PeerHandlers);
    return wire;
  }

  private constructor(transport: ExchangeTransport, options: CallerOptions) {
    this.#transport = transport;
    this.caller = new Caller(transport, options);
  }

  /** Whether requests travel with headers of their own, as over HTTP. */
  get hasHeaders(): boolean {
    return this.#transport.hasHeaders === true;
  }

  notify(message: NotificationMessage): void | Promise<void> {
    return this.#transport.notify(message);
  }

  close(): Promise<void> {
    this.isOpen = false;
    return this.#transport.close();
  }
}
