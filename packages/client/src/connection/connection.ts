import { type LoggingLevel, type Meta, MetaKey, type NotificationMessage, type RequestMeta } from "@toolwire/protocol";
import { isObject, type CallOptions, type CallSink } from "@toolwire/protocol/internal";
import type { Agreement, EraConnection, Terms } from "../eras/era.ts";
import type { PausedTime } from "../waiting.ts";
import type { OpenTransport } from "./open-transport.ts";

/** A connection that lasted this long was of use, even if no call was made. */
const USEFUL_AFTER_MS = 5000;

/** An open transport and the agreement with its server. A new agreement makes a new connection, also over the same transport. */
export class Connection implements EraConnection {
  readonly transport: OpenTransport;
  readonly agreement: Agreement;
  /**
   * Aborted when this connection can no longer be used. It is no promise, because a promise would keep all who have ever
   * waited for it.
   */
  readonly over: AbortController = new AbortController();
  /** Whether the era of the server was in doubt and is confirmed: its refusals now mean what they say. */
  isProven = false;
  /** Whether a call was answered over it. */
  hasServed = false;
  readonly pausedTime: PausedTime;
  readonly #since = performance.now();
  /** The part of `_meta` that all requests share, in eras that have one. */
  readonly #meta: RequestMeta | undefined;

  constructor(transport: OpenTransport, agreement: Agreement, terms: Terms) {
    this.transport = transport;
    this.agreement = transport.agreement = agreement;
    this.pausedTime = terms.pausedTime;
    this.#meta = agreement.era.requestMeta?.(terms, agreement.revision);
  }

  /** Whether anything can still be sent. */
  get isOpen(): boolean {
    return this.transport.isOpen;
  }

  /** Whether it has answered a call, or was there for a while. */
  get wasUseful(): boolean {
    return this.hasServed || performance.now() - this.#since > USEFUL_AFTER_MS;
  }

  /** Sends a request in the form of the agreed revision. Changes `params`: pass a fresh object. */
  send(
    method: string,
    params: object | undefined,
    options: CallOptions,
    logLevel: LoggingLevel | undefined,
    sink: CallSink,
  ): void {
    this.transport.caller.send(method, this.#stamp(params, logLevel), options, sink);
  }

  /** The same, with a promise. */
  call(method: string, params: object, options: CallOptions): Promise<object> {
    return this.transport.caller.call(method, this.#stamp(params, undefined), options);
  }

  /** Sends a notification in the form of the agreed revision. Changes `params`, too. */
  notify(method: string, params: object | undefined): void | Promise<void> {
    const stamped = this.#stamp(params, undefined);
    const message: NotificationMessage =
      stamped === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params: stamped };
    return this.transport.notify(message);
  }

  /** Adds the shared `_meta` in place: this runs for every request, and saves a copy of each. */
  #stamp(params: object | undefined, logLevel: LoggingLevel | undefined): object | undefined {
    const meta = this.#meta;
    if (meta === undefined) return params;
    const stamped: { _meta?: Meta } = params ?? {};
    const own = stamped._meta;
    stamped._meta =
      own === undefined && logLevel === undefined
        ? meta
        : // The protocol's own keys win: a request that contradicts its connection would be refused.
          // Only the capabilities may be those of the request: a gateway calls for clients that differ in them.
          { ...own, ...meta, ...capabilitiesIn(own), ...(logLevel !== undefined && { [MetaKey.LogLevel]: logLevel }) };
    return stamped;
  }
}

/** The capabilities that a caller has put into the `_meta` of a request, to declare them in place of the client's. */
function capabilitiesIn(own: Meta | undefined): Meta | undefined {
  const declared = own?.[MetaKey.ClientCapabilities];
  return isObject(declared) ? { [MetaKey.ClientCapabilities]: declared } : undefined;
}
