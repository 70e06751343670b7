import type { ProtocolViolation, Refusal } from "../errors.ts";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "../messages/message.ts";

/**
 * The calling side of a transport. One request goes out. Any number of notifications that belong to it come back, then
 * exactly one response. It can be cancelled. HTTP has this natively, with one POST each; over a {@link Channel}, the
 * {@link Multiplexer} provides it.
 */
export interface Exchanger {
  /**
   * Sends a request. The sink gets everything that belongs to it, and finally one `response` or `failed`. The id must
   * differ from those of all open requests.
   */
  exchange(request: RequestMessage, sink: ExchangeSink, hints?: ExchangeHints): Exchange;

  /** Sends a notification. Returns a promise only if the peer reads too slowly: see {@link Channel.send}. */
  notify(message: NotificationMessage): void | Promise<void>;

  /** Ends the connection. Everything pending fails with one error. Closing twice is safe. */
  close(): Promise<void>;
}

/**
 * Handlers for messages that the peer sends on its own, and for the end of the connection. A transport calls them between
 * `open` and `closed`.
 */
export interface PeerHandlers {
  /**
   * Answers a request through `reply`, and returns an exchange that cancels the work. Absent: every request is refused
   * with -32601. If it throws, the peer gets an internal error. `behalf` is the request of this side for which the peer
   * asks, if the transport knows it, as legacy HTTP does by the stream on which the request arrives.
   */
  request?(request: RequestMessage, reply: Reply, behalf?: RequestMessage): Exchange;
  /** Gets notifications that belong to no open exchange. */
  notification?(message: NotificationMessage): void;
  /** Gets everything that the peer sent against the rules of the protocol. None of it does harm. */
  violation?(error: ProtocolViolation): void;
  /**
   * The peer has sent its last message and still reads, so requests in flight can be answered before `close`. Absent:
   * the connection is closed at that point.
   */
  inputEnded?(): void;
  /** Nothing can be sent any more, though messages of the peer are still delivered. `closed` follows. */
  outputEnded?(): void;
  /** The connection ended. Pending exchanges have failed already. Called exactly once. */
  closed?(reason: Error | undefined): void;
  /** Gets news of a session. Only transports that keep one with the peer need it, as legacy HTTP does. */
  readonly session?: SessionHandlers | undefined;
  /** The rules of the agreed revision. Only the multiplexer of channels, and legacy HTTP, need to know them. */
  readonly rules?: PeerRules | undefined;
}

/** Handlers for a session that a transport keeps with the peer (legacy era). */
export interface SessionHandlers {
  /** The peer has forgotten the session, and no request was in flight that could tell. */
  expired?(): void;
  /** Messages of the peer may have been lost for a while, and the peer does not repeat them. */
  missed?(): void;
}

/** The rules that differ between revisions. They may change while a connection lasts, so they are functions. */
export interface PeerRules {
  /**
   * Whether the peer may send requests now. Modern servers may not, and their clients send no responses: requests of
   * such a server do not reach `request` and are not answered. Absent: yes.
   */
  allowsRequests?(): boolean;
  /** Whether a JSON array of messages is allowed now (revision 2025-03-26). Absent: no. */
  allowsBatch?(): boolean;
  /**
   * Whether a message without a readable id may be answered now: revisions before 2025-11-25 have no such answer.
   * Absent: yes.
   */
  allowsErrorsWithoutId?(): boolean;
}

/**
 * A transport with requests and responses of its own, such as HTTP. This is the larger of the two transport contracts.
 */
export interface ExchangeTransport extends Exchanger {
  /**
   * Whether this is a binding like HTTP, where each request travels on its own, with its own {@link ExchangeHints.headers}.
   * Absent: there are no headers, and all requests share one connection.
   */
  readonly hasHeaders?: boolean | undefined;
  /** Starts delivery. Called once, before anything is sent; resolves when requests can be sent. */
  open(handlers: PeerHandlers): void | Promise<void>;
}

/** Additions to a request for transports that can use them. */
export interface ExchangeHints {
  /** Headers, for transports that have them: the `Mcp-Param-*` headers that repeat arguments of tools. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Gets the parts of an answer, in order. No method may throw. */
export interface ExchangeSink {
  notification(message: NotificationMessage): void;
  /** `refusal` is given with an error response if the transport knows that the peer turned the request away. */
  response(message: ResponseMessage, refusal?: Refusal): void;
  /** No response will come: the connection failed or was closed. */
  failed(error: Error): void;
}

/** A request in flight. */
export interface Exchange {
  /** Cancels the request, and tells the peer in the way of the binding. Nothing reaches the sink afterwards. Never throws. */
  cancel(reason?: string): void;
}

/** The answering side of an exchange: a handler sends the parts of its answer here. */
export interface Reply {
  /**
   * Sends a notification that belongs to the request. Returns a promise if the peer reads too slowly. Calls after the
   * response, or after the end of the connection, are ignored.
   */
  notify(message: NotificationMessage): void | Promise<void>;
  /**
   * Sends the one response. Calls after the first, after cancellation, or after the end of the connection are ignored.
   *
   * A message that JSON cannot hold (a BigInt, a cycle, a `toJSON` that throws) makes it throw what the encoder threw.
   * Nothing is sent then, and the exchange stays open, so give another answer: the peer waits for one.
   */
  respond(message: ResponseMessage): void;
  /**
   * Sends a request back to the peer for the request being answered. Exists in the legacy era only, and only in
   * bindings that can carry it.
   */
  exchange?(request: RequestMessage, sink: ExchangeSink): Exchange;
  /**
   * Says that work for this request goes on although it is about to be answered, or was just cancelled: a handler that
   * does not heed its signal, or middleware that did not wait for one. A binding that limits requests in flight counts
   * the request until `settled` resolves, or a client could start any amount of work by cancelling each request. Called
   * at most once, and only if work does go on. `settled` never rejects. Bindings without limits leave it out.
   */
  busyUntil?(settled: Promise<void>): void;
}
