/** Advice that the compiler shows where something else is given. Nothing has this type. */
export interface Advice<Text extends string> {
  /** The advice. */
  readonly "~advice": Text;
}

/**
 * What is often given to `connect()` and is no target. The type exists for the sake of the compiler's messages: each of these
 * is refused with what to do instead, by the compiler as well as at run time.
 */
export type MistakenTarget = ObjectWithUrl | ObjectWithTransport | TransportOfOfficialSdk;

interface ObjectWithUrl {
  /** @deprecated Pass the URL itself: `connect(url, options)`. */
  readonly url: Advice<"Pass the URL itself: connect(url, options)">;
  readonly type?: unknown;
  readonly headers?: unknown;
}

interface ObjectWithTransport {
  /** @deprecated Pass the transport itself: `connect(transport, options)`. */
  readonly transport: Advice<"Pass the transport itself: connect(transport, options)">;
}

interface TransportOfOfficialSdk {
  /** @deprecated Transports of the official SDK do not fit here: pass the URL or the command. */
  readonly start: Advice<"Transports of the official SDK do not fit: pass the URL or the command">;
  readonly send: unknown;
  readonly close: unknown;
}
