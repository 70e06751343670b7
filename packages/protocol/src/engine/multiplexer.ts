import { ErrorCode, ProtocolViolation, RpcError, TransportError, UsageError } from "../errors.ts";
import { toErrorResponse } from "../messages/encode.ts";
import { closedError, explainUnsent, MalformedMessage, UnsentError } from "../messages/errors.ts";
import type { Message, NotificationMessage, RequestMessage, ResponseMessage } from "../messages/message.ts";
import { NO_BATCH } from "../messages/parse.ts";
import { quoteWords } from "../messages/quote.ts";
import { MetaKey, type RequestId } from "../model/basic.ts";
import type { Channel, ChannelReceiver, Outgoing } from "../transport/channel.ts";
import type { Exchange, ExchangeSink, ExchangeTransport, PeerHandlers } from "../transport/exchange.ts";
import { collectResponses, refuseMembers, type BatchItems } from "./batch.ts";
import { CountedRequests, type RequestLimit } from "./in-flight.ts";
import { IncomingExchange, IncomingExchanges } from "./incoming.ts";
import { PendingExchanges } from "./outgoing.ts";

/** The limits of a multiplexed channel. */
export interface MultiplexerOptions {
  /**
   * How many requests of the peer may be in flight at once, or a count that several connections share. Further requests
   * are refused. A cancelled request counts until its work has ended, if its handler tells by `Reply.busyUntil`. Default
   * 16384.
   */
  readonly maxInFlight?: number | RequestLimit | undefined;
}

const NO_WORK: Exchange = { cancel() {} };

/**
 * Turns one channel into any number of exchanges at once, in both directions. Responses are matched to requests by id,
 * notifications find the exchange they belong to, and cancellation travels as `notifications/cancelled`.
 *
 * Progress finds its exchange because the progress token of a request that leaves here is its id.
 */
export class Multiplexer implements ExchangeTransport, ChannelReceiver {
  readonly #channel: Channel;
  #handlers: PeerHandlers = {};
  readonly #pending = new PendingExchanges();
  /** The requests of the peer; for its exchanges only. */
  readonly incoming: IncomingExchanges;
  #closing: Promise<void> | undefined;
  #closed = false;

  constructor(channel: Channel, options: MultiplexerOptions = {}) {
    this.#channel = channel;
    const { maxInFlight = 16_384 } = options;
    const limit = typeof maxInFlight === "number" ? new CountedRequests(maxInFlight) : maxInFlight;
    this.incoming = new IncomingExchanges(limit);
  }

  open(handlers: PeerHandlers): void | Promise<void> {
    this.#handlers = handlers;
    return findPromise(this.#channel.open(this));
  }

  exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    const { id } = request;
    let problem: unknown;
    if (this.#closed) problem = new UnsentError(closedError());
    else if (this.#pending.find(id) !== undefined) problem = new UsageError("INVALID_STATE", inUse(id));
    else {
      this.#pending.add(id, sink);
      try {
        // Does not wait for a slow peer, as the caller waits for the response in any case. A request that the channel
        // drops in the end gets none.
        findPromise(this.#channel.send(request))?.then(undefined, (error: unknown) =>
          this.#pending.fail(id, error as Error),
        );
        return { cancel: (reason) => this.#abandon(request, reason) };
      } catch (error) {
        this.#pending.abandon(id);
        problem = this.#explainThrown(error, request);
      }
    }
    queueMicrotask(() => sink.failed(problem as Error));
    return NO_WORK;
  }

  notify(message: NotificationMessage): void | Promise<void> {
    try {
      return findPromise(this.#channel.send(message));
    } catch (error) {
      throw this.#explainThrown(error, message);
    }
  }

  /** How many requests of the peer await their response. */
  get inFlight(): number {
    return this.incoming.size;
  }

  /** Resolves when no request of the peer awaits its response. */
  idle(): Promise<void> {
    return this.incoming.idle();
  }

  /** `reason` says what is wrong with the peer; see {@link Channel.close}. */
  close(reason?: Error): Promise<void> {
    return (this.#closing ??= this.#close(reason));
  }

  // Called by the channel.

  message(message: Message): void {
    if (!("method" in message)) {
      const violation = this.#pending.settle(message);
      if (violation !== undefined && this.#closing === undefined) this.#handlers.violation?.(violation);
    } else if ("id" in message) this.#accept(message, new IncomingExchange(message.id, this));
    else this.#route(message);
  }

  batch(items: BatchItems): void {
    if (this.#handlers.rules?.allowsBatch?.() !== true) {
      const refusal = new MalformedMessage(ErrorCode.InvalidRequest, NO_BATCH);
      this.malformed(refusal);
      const isAnswered = this.#mayAnswer(refusal) || !this.#allowsRequests;
      refuseMembers(items, refusal, this.#pending, isAnswered, (response) => this.#trySend(response));
      return;
    }
    const collect = collectResponses(
      items,
      (item) => this.#mayAnswer(item),
      (responses) => this.#trySend(responses),
    );
    for (const item of items) {
      if (item instanceof MalformedMessage) this.#report(item);
      else if ("method" in item && "id" in item) this.#accept(item, new IncomingExchange(item.id, this, collect));
      else this.message(item);
    }
  }

  malformed(error: MalformedMessage): void {
    this.#report(error);
    if (this.#mayAnswer(error)) this.#trySend(error.toResponse());
  }

  inputEnded(): void {
    if (this.#handlers.inputEnded === undefined) void this.#channel.close();
    else this.#handlers.inputEnded();
  }

  outputEnded(): void {
    if (!this.#closed) this.#handlers.outputEnded?.();
  }

  closed(reason?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.incoming.cancelAll("the connection was closed");
    this.#pending.failAll(reason ?? closedError());
    this.#handlers.closed?.(reason);
  }

  /** Sends a response, if the connection is still there. Throws what the encoder throws, with nothing sent. */
  respond(message: ResponseMessage): void {
    try {
      this.#send(message);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
    }
  }

  async #close(reason: Error | undefined): Promise<void> {
    // Fails pending requests first: a peer may take its time to leave.
    this.#pending.failAll(closedError());
    try {
      await this.#channel.close(reason);
    } finally {
      this.closed();
    }
  }

  #accept(request: RequestMessage, exchange: IncomingExchange): void {
    if (this.#closed) return;
    const { id, method } = request;
    if (!this.#allowsRequests) {
      const message = `The peer sent a request (${quoteWords(method)}), which only legacy servers may.`;
      this.#handlers.violation?.(new ProtocolViolation("UNEXPECTED_REQUEST", message));
      return;
    }
    const refusal = this.#checkRequest(id, method);
    if (refusal !== undefined) {
      exchange.refuse(toErrorResponse(id, refusal));
      return;
    }
    this.incoming.add(exchange);
    try {
      exchange.begin(this.#handlers.request!(request, exchange));
    } catch {
      exchange.respond(toErrorResponse(id, undefined));
    }
  }

  /** Returns the error that refuses a request; `undefined` if it can be handled. */
  #checkRequest(id: RequestId, method: string): RpcError | undefined {
    if (this.#handlers.request === undefined) {
      return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    }
    if (this.incoming.find(id) !== undefined) {
      const message = inUse(id);
      this.#handlers.violation?.(new ProtocolViolation("DUPLICATE_REQUEST", message));
      return new RpcError(ErrorCode.InvalidRequest, message);
    }
    const limit = this.incoming.reached;
    return limit === undefined ? undefined : new RpcError(ErrorCode.InternalError, tooMany(limit));
  }

  /** Hands a notification to the exchange it belongs to, or to the handler of all others. */
  #route(message: NotificationMessage): void {
    const params = message.params as Fields | undefined;
    let sink: ExchangeSink | undefined;
    if (message.method === "notifications/progress") {
      sink = this.#pending.find(params?.["progressToken"] as RequestId);
    } else if (message.method === "notifications/cancelled") {
      const exchange = this.incoming.find(params?.["requestId"] as RequestId);
      if (exchange !== undefined) return this.#cancelIncoming(exchange, params?.["reason"]);
      // A modern server ends a subscription by naming the request that opened it.
      sink = this.#pending.find(params?.["requestId"] as RequestId);
    } else {
      const subscription = (params?.["_meta"] as Fields | undefined)?.[MetaKey.SubscriptionId];
      if (subscription !== undefined) sink = this.#pending.find(subscription as RequestId);
    }
    if (sink !== undefined) sink.notification(message);
    else this.#handlers.notification?.(message);
  }

  #report(error: MalformedMessage): void {
    this.#handlers.violation?.(error);
    // A malformed response fails its request: another response will not come.
    if (!error.mayAnswer) this.#pending.fail(error.id, error);
  }

  #cancelIncoming(exchange: IncomingExchange, reason: unknown): void {
    this.incoming.finish(exchange);
    exchange.cancel(typeof reason === "string" ? reason : undefined);
  }

  /** Gives up on a request of this side and tells the peer; except `initialize`, which must not be cancelled. */
  #abandon(request: RequestMessage, reason: string | undefined): void {
    if (!this.#pending.abandon(request.id) || request.method === "initialize") return;
    const params = { requestId: request.id, ...(reason !== undefined && { reason }) };
    this.#trySend({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  /** Explains why the channel threw and the message was not sent. */
  #explainThrown(error: unknown, message: NotificationMessage): Error {
    const isOver = error instanceof TransportError && (error.code === "CLOSED" || error.code === "CONNECTION_LOST");
    if (!isOver) return explainUnsent(error, message);
    this.outputEnded();
    return new UnsentError(error);
  }

  /** Sends without waiting for a slow peer. */
  #send(message: Outgoing): void {
    findPromise(this.#channel.send(message))?.then(undefined, ignore);
  }

  #trySend(message: Outgoing): void {
    try {
      this.#send(message);
    } catch {
      // The connection is gone: `closed` fails everything that is pending.
    }
  }

  /** Before 2025-11-25, every response has an id: without a readable one, there is no response. */
  #mayAnswer({ id, mayAnswer }: MalformedMessage): boolean {
    if (!mayAnswer || !this.#allowsRequests) return false;
    return id !== undefined || this.#handlers.rules?.allowsErrorsWithoutId?.() !== false;
  }

  /** A peer that may send no requests gets no responses either. */
  get #allowsRequests(): boolean {
    return this.#handlers.rules?.allowsRequests?.() !== false;
  }
}

type Fields = { readonly [key: string]: unknown };

/** Ignores values that are not promises: channels written as arrow functions may return anything, as `postMessage` does. */
function findPromise(returned: void | Promise<void>): Promise<void> | undefined {
  return typeof (returned as Partial<Promise<void>> | undefined)?.then === "function"
    ? (returned as Promise<void>)
    : undefined;
}

function inUse(id: RequestId): string {
  const shown = typeof id === "string" ? quoteWords(id) : String(id);
  return `A request with the id ${shown} is still in the works; ids must be unique.`;
}

function tooMany(limit: number): string {
  return (
    `Too many requests at once (limit ${limit}): wait for some to be answered. ` +
    "One that was cancelled or timed out counts until its work has ended."
  );
}

function ignore(): void {}
