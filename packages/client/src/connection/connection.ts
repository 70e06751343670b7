import { MetaKey, type LoggingLevel, type Meta, type NotificationMessage, type RequestMeta } from "@toolwire/protocol";
import type { CallOptions, CallSink } from "@toolwire/protocol/internal";
import { modernMeta, type Agreement, type Terms } from "./agreement.ts";
import type { Wire } from "./wire.ts";

/** A connection that lasted this long was a good one, even if nobody had anything to ask. */
const USEFUL_AFTER_MS = 5000;

/** A wire, and what was agreed on over it. A new agreement makes a new connection, even over the same wire. */
export class Connection {
  readonly wire: Wire;
  readonly agreement: Agreement;
  /**
   * Aborted when this connection is of no use any more, to wake everybody who counts on it. No promise, which would keep all
   * who have ever waited for it.
   */
  readonly over: AbortController = new AbortController();
  /**
   * Whether the server was asked for its era again because it was in doubt: what it refuses now, it refuses as what it
   * is.
   */
  isProven = false;
  /** Whether a call was answered by it. */
  hasServed = false;
  readonly #since = performance.now();
  /** The part of `_meta` that all requests share; legacy requests have none. */
  readonly #meta: RequestMeta | undefined;

  constructor(wire: Wire, agreement: Agreement, terms: Terms) {
    this.wire = wire;
    this.agreement = wire.agreement = agreement;
    this.#meta = agreement.era === "modern" ? modernMeta(terms, agreement.revision) : undefined;
  }

  /** Whether it was of use: it has answered a call, or was there for a while. */
  get wasUseful(): boolean {
    return this.hasServed || performance.now() - this.#since > USEFUL_AFTER_MS;
  }

  /** Sends a request as the agreed revision wants it. The parameters become the connection's: give it a fresh object. */
  send(
    method: string,
    params: object | undefined,
    options: CallOptions,
    logLevel: LoggingLevel | undefined,
    sink: CallSink,
  ): void {
    this.wire.caller.send(method, this.#stamp(params, logLevel), options, sink);
  }

  /** The same, with a promise. */
  call(method: string, params: object, options: CallOptions): Promise<object> {
    return this.wire.caller.call(method, this.#stamp(params, undefined), options);
  }

  /** Sends a notification as the agreed revision wants it. The parameters become the connection's, too. */
  notify(method: string, params: object | undefined): void | Promise<void> {
    const stamped = this.#stamp(params, undefined);
    const message: NotificationMessage =
      stamped === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params: stamped };
    return this.wire.notify(message);
  }

  /** In place, because a copy of every request is what a fast client can save. */
  #stamp(params: object | undefined, logLevel: LoggingLevel | undefined): object | undefined {
    const meta = this.#meta;
    if (meta === undefined) return params;
    const stamped: { _meta?: Meta } = params ?? {};
    const own = stamped._meta;
    stamped._meta =
      own === undefined && logLevel === undefined
        ? meta
        : // The protocol's own keys win: a request that contradicts its connection would be refused.
          { ...own, ...meta, ...(logLevel !== undefined && { [MetaKey.LogLevel]: logLevel }) };
    return stamped;
  }
}
