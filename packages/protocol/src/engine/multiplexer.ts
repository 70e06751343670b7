import { ErrorCode, ProtocolViolation, RpcError, TransportError, UsageError } from "../errors.ts";
import { encodeMessage, toErrorResponse } from "../messages/encode.ts";
import { IdTable } from "../in-flight/id-table.ts";
import { MalformedMessage } from "../messages/malformed.ts";
import { NO_BATCH } from "../messages/parse.ts";
import { quoteWords } from "../messages/quote-words.ts";
import { explainUnsent } from "../messages/unencodable.ts";
import type { Message, NotificationMessage, RequestId, RequestMessage, ResponseMessage } from "../messages/message.ts";
import { MetaKey } from "../model/meta.ts";
import type { Channel, ChannelReceiver, Outgoing } from "../transport/channel.ts";
import type { Exchange, ExchangeSink, ExchangeTransport, PeerHandlers } from "../transport/exchange.ts";
import { UnsentError } from "../transport/unsent-error.ts";
import { IncomingExchange } from "./incoming.ts";
import { PendingExchanges } from "./pending.ts";
import { CountedRequests, type RequestLimit } from "./request-limit.ts";

/** The limits of a multiplexed channel. */
export interface MultiplexerOptions {
  /**
   * How many requests of the peer may be in flight at once, or what counts them for several connections. More are refused.
   * A request that was cancelled counts until its work has ended, if its handler tells, by `Reply.busyUntil`. Default 16384.
   */
  readonly maxInFlight?: number | RequestLimit | undefined;
}

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
  readonly #limit: RequestLimit;
  readonly #pending = new PendingExchanges();
  readonly #inFlight = new IdTable<IncomingExchange>();
  #closing: Promise<void> | undefined;
  #closed = false;
  readonly #idle: (() => void)[] = [];

  constructor(channel: Channel, options: MultiplexerOptions = {}) {
    this.#channel = channel;
    const { maxInFlight = 16_384 } = options;
    this.#limit = typeof maxInFlight === "number" ? new CountedRequests(maxInFlight) : maxInFlight;
  }

  open(handlers: PeerHandlers): void | Promise<void> {
    this.#handlers = handlers;
    return findPromise(this.#channel.open(this));
  }

  exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    const { id } = request;
    let problem: unknown;
    if (this.#closed) problem = new UnsentError(new TransportError("CLOSED", "The connection is closed."));
    else if (this.#pending.find(id) !== undefined) problem = new UsageError("INVALID_STATE", inUse(id));
    else {
      this.#pending.add(id, sink);
      try {
        // A slow peer needs no waiting here: the caller waits for the response in any case. But what was not taken gets
        // none.
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
    return this.#inFlight.size;
  }

  /** Resolves when no request of the peer awaits its response. */
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
    if (this.#handlers.rules?.allowsBatch?.() !== true) {
      const refusal = new MalformedMessage(ErrorCode.InvalidRequest, NO_BATCH);
      this.malformed(refusal);
      const isAnswered = this.#mayAnswer(refusal) || !this.#allowsRequests;
      // The batch as a whole has no id, but nobody should wait in vain for what is in it, on either side.
      for (const item of items) {
        if (!("method" in item)) {
          if (!("mayAnswer" in item && item.mayAnswer)) this.#pending.fail(item.id, refusal);
        } else if ("id" in item && !isAnswered) {
          this.#trySend(toErrorResponse(item.id, new RpcError(ErrorCode.InvalidRequest, NO_BATCH)));
        }
      }
      return;
    }
    const collected = this.#collectReplies(items);
    for (const item of items) {
      if (item instanceof MalformedMessage) this.#complain(item);
      else if ("method" in item && "id" in item) this.#accept(item, new IncomingExchange(item.id, this, collected));
      else this.message(item);
    }
  }

  malformed(error: MalformedMessage): void {
    this.#complain(error);
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
    const unanswered = this.#inFlight.drain();
    this.#limit.add(-unanswered.length);
    for (const exchange of unanswered) exchange.cancel("the connection was closed");
    this.#settleIdle();
    this.#pending.failAll(reason ?? closedError());
    this.#handlers.closed?.(reason);
  }

  // What incoming exchanges need.

  /** Whether this very exchange still awaits its response. */
  isOpen(exchange: IncomingExchange): boolean {
    return this.#inFlight.get(exchange.id) === exchange;
  }

  /** Ends an exchange that is open. */
  finish({ id }: IncomingExchange): void {
    this.#inFlight.delete(id);
    this.#limit.add(-1);
    if (this.#inFlight.size === 0 && this.#idle.length > 0) this.#settleIdle();
  }

  /** Counts a request that is answered or cancelled until its work has ended. */
  countUntil(settled: Promise<void>): void {
    this.#limit.add(1);
    void settled.then(() => this.#limit.add(-1));
  }

  /** Sends a response, if the connection is still there. Throws what the encoder throws, with nothing sent. */
  respond(message: ResponseMessage): void {
    try {
      this.#send(message);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
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
    if (this.#closed) return;
    const { id, method } = request;
    if (!this.#allowsRequests) {
      const message = `The peer sent a request (${quoteWords(method)}), which only legacy servers may.`;
      this.#handlers.violation?.(new ProtocolViolation("UNEXPECTED_REQUEST", message));
      return;
    }
    const refusal = this.#refusal(id, method);
    if (refusal !== undefined) {
      exchange.refuse(toErrorResponse(id, refusal));
      return;
    }
    this.#inFlight.set(id, exchange);
    this.#limit.add(1);
    try {
      exchange.begin(this.#handlers.request!(request, exchange));
    } catch {
      exchange.respond(toErrorResponse(id, undefined));
    }
  }

  #refusal(id: RequestId, method: string): RpcError | undefined {
    if (this.#handlers.request === undefined) {
      return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    }
    if (this.#inFlight.get(id) !== undefined) {
      const message = inUse(id);
      this.#handlers.violation?.(new ProtocolViolation("DUPLICATE_REQUEST", message));
      return new RpcError(ErrorCode.InvalidRequest, message);
    }
    const limit = this.#limit.reached;
    return limit === undefined ? undefined : new RpcError(ErrorCode.InternalError, tooMany(limit));
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
      const subscription = (params?.["_meta"] as Fields | undefined)?.[MetaKey.SubscriptionId];
      if (subscription !== undefined) sink = this.#pending.find(subscription as RequestId);
    }
    if (sink !== undefined) sink.notification(message);
    else this.#handlers.notification?.(message);
  }

  #complain(error: MalformedMessage): void {
    this.#handlers.violation?.(error);
    // A broken response is one all the same: whoever waits for it would wait in vain.
    if (!error.mayAnswer) this.#pending.fail(error.id, error);
  }

  #cancelIncoming(exchange: IncomingExchange, reason: unknown): void {
    this.finish(exchange);
    exchange.cancel(typeof reason === "string" ? reason : undefined);
  }

  /** Gives up on a request of ours and tells the peer; except `initialize`, which the spec forbids to cancel. */
  #abandon(request: RequestMessage, reason: string | undefined): void {
    if (!this.#pending.abandon(request.id) || request.method === "initialize") return;
    const params = { requestId: request.id, ...(reason !== undefined && { reason }) };
    this.#trySend({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  /** Why the channel has thrown, and the message was not sent. If the connection is over, nothing else will be. */
  #explainThrown(error: unknown, message: NotificationMessage): Error {
    const isOver = error instanceof TransportError && (error.code === "CLOSED" || error.code === "CONNECTION_LOST");
    if (!isOver) return explainUnsent(error, message);
    this.outputEnded();
    return new UnsentError(error);
  }

  /** Sends what need not be waited for. */
  #send(message: Outgoing): void {
    findPromise(this.#channel.send(message))?.then(undefined, ignore);
  }

  #trySend(message: Outgoing): void {
    try {
      this.#send(message);
    } catch {
      // The connection is gone; `closed` tells everybody who waits.
    }
  }

  /** Gathers the answers to a batch and sends them as one array when the last has come. */
  #collectReplies(items: readonly (Message | MalformedMessage)[]): (response: ResponseMessage | undefined) => void {
    const responses: ResponseMessage[] = [];
    let missing = 1;
    for (const item of items) {
      if (item instanceof MalformedMessage) {
        if (this.#mayAnswer(item)) responses.push(item.toResponse());
      } else if ("method" in item && "id" in item) missing += 1;
    }
    const collect = (response: ResponseMessage | undefined): void => {
      // Encoded at once, so that an answer which cannot be does not take the others with it.
      if (response !== undefined) responses.push(JSON.parse(encodeMessage(response)) as ResponseMessage);
      missing -= 1;
      if (missing === 0 && responses.length > 0) this.#trySend(responses);
    };
    collect(undefined);
    return collect;
  }

  /** Before 2025-11-25, every response has an id: without a readable one, there is no answer. */
  #mayAnswer({ id, mayAnswer }: MalformedMessage): boolean {
    if (!mayAnswer || !this.#allowsRequests) return false;
    return id !== undefined || this.#handlers.rules?.allowsErrorsWithoutId?.() !== false;
  }

  /** Where the peer may ask nothing, there is nothing to answer either. */
  get #allowsRequests(): boolean {
    return this.#handlers.rules?.allowsRequests?.() !== false;
  }

  #settleIdle(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

type Fields = { readonly [key: string]: unknown };

/**
 * What a channel returned, if it can be waited for: an arrow function may return anything, as `postMessage` does in
 * Node.
 */
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

function closedError(): TransportError {
  return new TransportError("CLOSED", "The connection was closed before the answer came.");
}

function ignore(): void {}
