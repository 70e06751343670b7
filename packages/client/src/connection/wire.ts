import type { ExchangeTransport, NotificationMessage, PeerHandlers } from "@toolwire/protocol";
import { Caller, type CallerOptions } from "@toolwire/protocol/internal";
import type { Agreement } from "../negotiation/agreement.ts";
import type { Transport } from "../target/endpoint.ts";

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
    const exchanges = "exchange" in transport ? transport : (await import("./multiplex.ts")).multiplex(transport);
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
