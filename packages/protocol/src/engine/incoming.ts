import { TransportError } from "../errors.ts";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "../messages/message.ts";
import type { RequestId } from "../model/basic.ts";
import type { Exchange, ExchangeSink, Reply } from "../transport/exchange.ts";
import type { Multiplexer } from "./multiplexer.ts";

/** A request of the peer that is in the works: where its answer goes, and how it is cancelled. */
export class IncomingExchange implements Reply {
  readonly id: RequestId;
  /** What cancels the work, once it has begun. */
  #work: Exchange | undefined;
  /** What cancels the work that was cancelled while it began, as by a message of its own that broke the connection. */
  #early: ((work: Exchange) => void) | undefined;
  readonly #multiplexer: Multiplexer;
  /** Takes the answer when the request came in a batch; `undefined` counts as answered with nothing. */
  readonly #collect: ((response: ResponseMessage | undefined) => void) | undefined;

  constructor(id: RequestId, multiplexer: Multiplexer, collect?: (response: ResponseMessage | undefined) => void) {
    this.id = id;
    this.#multiplexer = multiplexer;
    this.#collect = collect;
  }

  /** The work has begun. */
  begin(work: Exchange): void {
    this.#work = work;
    this.#early?.(work);
  }

  notify(message: NotificationMessage): void | Promise<void> {
    if (!this.#multiplexer.isOpen(this)) return;
    try {
      return this.#multiplexer.notify(message)?.catch(expectLoss);
    } catch (error) {
      expectLoss(error);
    }
  }

  respond(message: ResponseMessage): void {
    if (!this.#multiplexer.isOpen(this)) return;
    // In this order: what cannot be encoded leaves the exchange open for another answer.
    this.refuse(message);
    this.#multiplexer.finish(this);
  }

  exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    return this.#multiplexer.exchange(request, sink);
  }

  busyUntil(settled: Promise<void>): void {
    this.#multiplexer.countUntil(settled);
  }

  /** Answers without the work ever having begun. Throws what the encoder throws, with nothing sent. */
  refuse(message: ResponseMessage): void {
    if (this.#collect === undefined) this.#multiplexer.respond(message);
    else this.#collect(message);
  }

  cancel(reason: string | undefined): void {
    if (this.#work === undefined) this.#early = (work) => work.cancel(reason);
    else this.#work.cancel(reason);
    this.#collect?.(undefined);
  }
}

/** A connection that is ending has nobody to hear of what goes on; it also cancels the work. Throws anything else. */
function expectLoss(error: unknown): void {
  if (!(error instanceof TransportError)) throw error;
}
