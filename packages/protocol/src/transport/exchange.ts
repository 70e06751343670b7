import type { ProtocolViolation } from "../errors.ts";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "../messages/message.ts";

/**
 * The calling half of a transport: one request goes out; any number of notifications that belong to it and exactly
 * one response come back; it can be abandoned. HTTP has this natively, one POST each; over a {@link Channel} the
 * {@link Multiplexer} provides it.
 */
export interface Exchanger {
  /**
   * Sends a request. The sink hears of everything that belongs to it, last of all one `response` or `failed`. Its id
   * must differ from those of all requests that are open here.
   */
  exchange(request: RequestMessage, sink: ExchangeSink, hints?: ExchangeHints): Exchange;

  /** Sends a notification. A promise comes back only when it is worth waiting for: see {@link Channel.send}. */
  notify(message: NotificationMessage): void | Promise<void>;

  /** Ends the connection; everything pending fails with one clear error. Closing twice is safe. */
  close(): Promise<void>;
}

/** What one side does with what the other sends unasked. */
export interface PeerHandlers {
  /**
   * Answers a request through `reply`; returns what cancels the work. Absent: every request is refused with -32601. If
   * it throws, the peer gets an internal error.
   */
  request?(request: RequestMessage, reply: Reply): Exchange;
  /** Hears notifications that belong to no open exchange. */
  notification?(message: NotificationMessage): void;
  /** Hears of everything the peer sent that the protocol does not allow. None of it does harm. */
  violation?(error: ProtocolViolation): void;
  /** The connection ended. Pending exchanges have failed already. Called exactly once. */
  closed?(reason: Error | undefined): void;
  /**
   * Whether the peer may send requests now. Modern servers may not, and their clients send no responses: none of what
   * such a server asks all the same reaches `request`, and none of it is answered. Absent: yes.
   */
  allowsRequests?(): boolean;
  /** Whether a JSON array of messages is allowed now (revision 2025-03-26). */
  allowsBatch?(): boolean;
  /**
   * Whether what has no readable id may be answered now: revisions before 2025-11-25 know no such answer. Absent: yes.
   */
  allowsErrorsWithoutId?(): boolean;
}

/** A transport that speaks in exchanges by nature, such as HTTP: the larger of the two contracts. */
export interface ExchangeTransport extends Exchanger {
  /** Starts delivery. Called once, before anything is sent; resolves when requests can be sent. */
  open(handlers: PeerHandlers): void | Promise<void>;
}

/** What a binding may use in addition to the message itself. */
export interface ExchangeHints {
  /** Header fields for bindings that have headers: the `Mcp-Param-*` mirrors of tool arguments. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Where the parts of an answer arrive, in order. None of these throws. */
export interface ExchangeSink {
  notification(message: NotificationMessage): void;
  /** `httpStatus` is that of a binding which has such, if it was no success. */
  response(message: ResponseMessage, httpStatus?: number): void;
  /** No response will come: the connection failed or was closed. */
  failed(error: Error): void;
}

/** A request under way. */
export interface Exchange {
  /** Gives up on it and tells the peer, in the way of the binding. Nothing reaches the sink afterwards. Never throws. */
  cancel(reason?: string): void;
}

/** The answering half: where a handler puts the parts of its answer. */
export interface Reply {
  /** Sends a notification that belongs to the request. A promise comes back when the peer reads too slowly. */
  notify(message: NotificationMessage): void | Promise<void>;
  /**
   * Sends the one response. Calls after the first, or after cancellation, are ignored, and so is a connection that is
   * gone.
   *
   * A message that JSON cannot hold (a BigInt, a cycle, a `toJSON` that throws) makes it throw what the encoder threw.
   * Then nothing was sent and the exchange is still open, so that another answer can be given: the peer waits for one.
   */
  respond(message: ResponseMessage): void;
  /**
   * Sends a request back to the peer on behalf of the one being answered. Only the legacy era knows this, and only
   * bindings that can carry it have it.
   */
  exchange?(request: RequestMessage, sink: ExchangeSink): Exchange;
}
