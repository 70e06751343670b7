import { ErrorCode, ProtocolViolation, RpcError, TransportError } from "../errors.ts";
import { toErrorResponse } from "../messages/encode.ts";
import { IdTable } from "../in-flight/id-table.ts";
import { MalformedMessage } from "../messages/malformed.ts";
import type { Message, NotificationMessage, RequestId, RequestMessage, ResponseMessage } from "../messages/message.ts";
import type { Channel, ChannelReceiver, Outgoing } from "../transport/channel.ts";
import type { Exchange, ExchangeSink, ExchangeTransport, PeerHandlers } from "../transport/exchange.ts";
import { IncomingExchange } from "./incoming.ts";
import { PendingExchanges } from "./pending.ts";

/** Bounds of a multiplexed channel. */
export interface MultiplexerOptions {
  /** How many requests of the peer may be in the works at once; more are refused. Default 16384. */
  readonly maxInFlight?: number | undefined;
}

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
const NO_WORK: Exchange = { cancel() {} };

/**
 * Turns one channel into any number of exchanges at once, in both directions: responses are matched to requests by id,
 * notifications find the exchange they belong to, cancellation travels as `notifications/cancelled`.
 *
 * Progress finds its exchange because the progress token of a request that leaves here is its id.
 */
export class Multiplexer implements ExchangeTransport, ChannelReceiver {
  readonly #channel: Channel;
  #handlers: PeerHandlers = {};
  readonly #maxInFlight: number;
  readonly #pending = new PendingExchanges();
  readonly #inFlight = new IdTable<IncomingExchange>();
  #closing: Promise<void> | undefined;
  #closed = false;
  readonly #idle: (() => void)[] = [];

  constructor(channel: Channel, options: MultiplexerOptions = {}) {
    this.#channel = channel;
    this.#maxInFlight = options.maxInFlight ?? 16_384;
  }

  open(handlers: PeerHandlers): void | Promise<void> {
    this.#handlers = handlers;
    return this.#channel.open(this);
  }

  exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    if (this.#closed) {
      queueMicrotask(() => sink.failed(closedError()));
      return NO_WORK;
    }
    this.#pending.add(request.id, sink);
    try {
      // A slow peer needs no waiting here: the caller waits for the response in any case.
      this.#channel.send(request)?.catch(ignore);
    } catch (error) {
      this.#pending.abandon(request.id);
      queueMicrotask(() => sink.failed(error as Error));
      return NO_WORK;
    }
    return { cancel: (reason) => this.#abandon(request, reason) };
  }

  notify(message: NotificationMessage): void | Promise<void> {
    return this.#channel.send(message);
  }

  /** How many requests of the peer are in the works. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Resolves when no request of the peer is in the works any more. */
  idle(): Promise<void> {
    if (this.#inFlight.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  // What the channel delivers.

  message(message: Message): void {
    if (!("method" in message)) {
      const violation = this.#pending.settle(message);
      if (violation !== undefined && this.#closing === undefined) this.#handlers.violation?.(violation);
    } else if ("id" in message) this.#accept(message, new IncomingExchange(message.id, this));
    else this.#route(message);
  }

  batch(items: readonly (Message | MalformedMessage)[]): void {
    if (this.#handlers.allowsBatch?.() !== true) {
      const message = "Batches are part of revision 2025-03-26 only; send one message at a time.";
      this.malformed(new MalformedMessage(ErrorCode.InvalidRequest, message));
      return;
    }
    const collected = collectReplies(items, (responses) => this.#trySend(responses));
    for (const item of items) {
      if (item instanceof MalformedMessage) this.#handlers.violation?.(item);
      else if ("method" in item && "id" in item) this.#accept(item, new IncomingExchange(item.id, this, collected));
      else this.message(item);
    }
  }

  malformed(error: MalformedMessage): void {
    this.#handlers.violation?.(error);
    if (error.mayAnswer) this.#trySend(error.toResponse());
  }

  closed(reason?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const exchange of this.#inFlight.drain()) exchange.cancel("the connection was closed");
    this.#settleIdle();
    this.#pending.failAll(reason ?? closedError());
    this.#handlers.closed?.(reason);
  }

  // What incoming exchanges need.

  /** Whether this very exchange still awaits its response. */
  isOpen(exchange: IncomingExchange): boolean {
    return this.#inFlight.get(exchange.id) === exchange;
  }

  /** Ends an exchange. Returns false if it was cancelled or answered before. */
  finish(exchange: IncomingExchange): boolean {
    if (!this.isOpen(exchange)) return false;
    this.#inFlight.delete(exchange.id);
    if (this.#inFlight.size === 0 && this.#idle.length > 0) this.#settleIdle();
    return true;
  }

  /** Sends a response. If JSON cannot hold the result, the peer still gets an answer. */
  respond(message: ResponseMessage): void {
    try {
      this.#channel.send(message)?.catch(ignore);
    } catch (cause) {
      if (cause instanceof TransportError) return;
      this.#trySend(toErrorResponse(message.id, cause));
      this.#handlers.violation?.(new ProtocolViolation("INVALID_RESULT", "A result is no JSON value.", { cause }));
    }
  }

  async #close(): Promise<void> {
    // A peer may take its time to leave; whoever awaits its answers need not wait for that.
    this.#pending.failAll(closedError());
    try {
      await this.#channel.close();
    } finally {
      this.closed();
    }
  }

  #accept(request: RequestMessage, exchange: IncomingExchange): void {
    const { id, method } = request;
    const refusal = this.#refusal(id, method);
    if (refusal !== undefined) {
      exchange.refuse(toErrorResponse(id, refusal));
      return;
    }
    this.#inFlight.set(id, exchange);
    exchange.work = this.#handlers.request!(request, exchange);
  }

  #refusal(id: RequestId, method: string): RpcError | undefined {
    if (this.#handlers.request === undefined) {
      return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    }
    if (this.#inFlight.get(id) !== undefined) {
      const message = `A request with the id ${JSON.stringify(id)} is still in the works; ids must be unique.`;
      this.#handlers.violation?.(new ProtocolViolation("DUPLICATE_REQUEST", message));
      return new RpcError(ErrorCode.InvalidRequest, message);
    }
    if (this.#inFlight.size < this.#maxInFlight) return undefined;
    const message = `Too many requests at once on this connection (limit ${this.#maxInFlight}): wait for some to be answered.`;
    return new RpcError(ErrorCode.InternalError, message);
  }

  #route(message: NotificationMessage): void {
    const params = message.params as Fields | undefined;
    let sink: ExchangeSink | undefined;
    if (message.method === "notifications/progress") {
      sink = this.#pending.find(params?.["progressToken"] as RequestId);
    } else if (message.method === "notifications/cancelled") {
      const work = this.#inFlight.get(params?.["requestId"] as RequestId);
      if (work !== undefined) return this.#cancelIncoming(work, params?.["reason"]);
      // A modern server ends a subscription by naming the request that opened it.
      sink = this.#pending.find(params?.["requestId"] as RequestId);
    } else {
      const subscription = (params?.["_meta"] as Fields | undefined)?.[SUBSCRIPTION_ID];
      if (subscription !== undefined) sink = this.#pending.find(subscription as RequestId);
    }
    if (sink !== undefined) sink.notification(message);
    else this.#handlers.notification?.(message);
  }

  #cancelIncoming(exchange: IncomingExchange, reason: unknown): void {
    this.finish(exchange);
    exchange.cancel(typeof reason === "string" ? reason : undefined);
  }

  /** Gives up on a request of ours and tells the peer; except `initialize`, which the spec forbids to cancel. */
  #abandon(request: RequestMessage, reason: string | undefined): void {
    if (!this.#pending.abandon(request.id) || this.#closed || request.method === "initialize") return;
    const params = reason === undefined ? { requestId: request.id } : { requestId: request.id, reason };
    this.#trySend({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  #trySend(message: Outgoing): void {
    try {
      this.#channel.send(message)?.catch(ignore);
    } catch {
      // The connection is gone; `closed` tells everybody who waits.
    }
  }

  #settleIdle(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

type Fields = { readonly [key: string]: unknown };

/** Gathers the answers to a batch and sends them as one array when the last has come. */
function collectReplies(
  items: readonly (Message | MalformedMessage)[],
  send: (responses: readonly ResponseMessage[]) => void,
): (response: ResponseMessage | undefined) => void {
  const responses: ResponseMessage[] = [];
  let missing = 0;
  for (const item of items) {
    if (item instanceof MalformedMessage) {
      if (item.mayAnswer) responses.push(item.toResponse());
    } else if ("method" in item && "id" in item) missing += 1;
  }
  if (missing === 0 && responses.length > 0) send(responses);
  return (response) => {
    if (response !== undefined) responses.push(response);
    missing -= 1;
    if (missing === 0 && responses.length > 0) send(responses);
  };
}

function closedError(): TransportError {
  return new TransportError("CLOSED", "The connection was closed before the answer came.");
}

function ignore(): void {}
