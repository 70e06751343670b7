import { TransportError } from "../errors.ts";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "../messages/message.ts";
import type { RequestId } from "../model/basic.ts";
import type { Exchange, ExchangeSink, Reply } from "../transport/exchange.ts";
import { IdTable, type RequestLimit } from "./in-flight.ts";
import type { Multiplexer } from "./multiplexer.ts";

/** A request of the peer that is being answered: the way for its response, and how to cancel the work. */
export class IncomingExchange implements Reply {
  readonly id: RequestId;
  /** Cancels the work, once it has begun. */
  #work: Exchange | undefined;
  /** Cancels work that was cancelled while it began, for example by a message of its own that broke the connection. */
  #cancelEarly: ((work: Exchange) => void) | undefined;
  readonly #multiplexer: Multiplexer;
  /** Takes the response to a request of a batch; `undefined` if there will be none. */
  readonly #collect: ((response: ResponseMessage | undefined) => void) | undefined;

  constructor(id: RequestId, multiplexer: Multiplexer, collect?: (response: ResponseMessage | undefined) => void) {
    this.id = id;
    this.#multiplexer = multiplexer;
    this.#collect = collect;
  }

  /** Says that the work has begun. */
  begin(work: Exchange): void {
    this.#work = work;
    this.#cancelEarly?.(work);
  }

  notify(message: NotificationMessage): void | Promise<void> {
    if (!this.#multiplexer.incoming.isOpen(this)) return;
    try {
      return this.#multiplexer.notify(message)?.catch(ignoreLoss);
    } catch (error) {
      ignoreLoss(error);
    }
  }

  respond(message: ResponseMessage): void {
    if (!this.#multiplexer.incoming.isOpen(this)) return;
    // Sends first: a message that cannot be encoded throws, and leaves the exchange open for another response.
    this.refuse(message);
    this.#multiplexer.incoming.finish(this);
  }

  exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    return this.#multiplexer.exchange(request, sink);
  }

  busyUntil(settled: Promise<void>): void {
    this.#multiplexer.incoming.countUntil(settled);
  }

  /** Responds although the work never began. Throws what the encoder throws, with nothing sent. */
  refuse(message: ResponseMessage): void {
    if (this.#collect === undefined) this.#multiplexer.respond(message);
    else this.#collect(message);
  }

  cancel(reason: string | undefined): void {
    if (this.#work === undefined) this.#cancelEarly = (work) => work.cancel(reason);
    else this.#work.cancel(reason);
    this.#collect?.(undefined);
  }
}

/** Ignores the loss of the connection, which also cancels the work. Throws anything else. */
function ignoreLoss(error: unknown): void {
  if (!(error instanceof TransportError)) throw error;
}

/** The requests of the peer that are in flight, by id, counted against a limit. */
export class IncomingExchanges {
  readonly #open = new IdTable<IncomingExchange>();
  readonly #limit: RequestLimit;
  readonly #idle: (() => void)[] = [];

  constructor(limit: RequestLimit) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The limit that leaves no room for another request; `undefined` if there is room. */
  get reached(): number | undefined {
    return this.#limit.reached;
  }

  find(id: RequestId): IncomingExchange | undefined {
    return this.#open.get(id);
  }

  /** Whether this very exchange still awaits its response. */
  isOpen(exchange: IncomingExchange): boolean {
    return this.#open.get(exchange.id) === exchange;
  }

  add(exchange: IncomingExchange): void {
    this.#open.set(exchange.id, exchange);
    this.#limit.add(1);
  }

  /** Ends an exchange that is open. */
  finish({ id }: IncomingExchange): void {
    this.#open.delete(id);
    this.#limit.add(-1);
    if (this.#open.size === 0 && this.#idle.length > 0) this.#settleIdle();
  }

  /** Counts a request that is answered or cancelled until its work has ended. */
  countUntil(settled: Promise<void>): void {
    this.#limit.add(1);
    void settled.then(() => this.#limit.add(-1));
  }

  /** Ends all exchanges and cancels their work: the connection is closed. */
  cancelAll(reason: string): void {
    const unanswered = this.#open.drain();
    this.#limit.add(-unanswered.length);
    for (const exchange of unanswered) exchange.cancel(reason);
    this.#settleIdle();
  }

  /** Resolves when no request awaits its response. */
  idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #settleIdle(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
