import { ProtocolViolation } from "../errors.ts";
import type { ResponseMessage } from "../messages/message.ts";
import { quoteWords } from "../messages/quote.ts";
import type { RequestId } from "../model/basic.ts";
import type { ExchangeSink } from "../transport/exchange.ts";
import { IdTable } from "./in-flight.ts";

/** The number of abandoned ids that are remembered, to tell a late response from a duplicate one. */
const ABANDONED_REMEMBERED = 1024;

/**
 * The requests that await a response, matched by id. Any number may be open and be answered in any order. Responses
 * that match nothing are classified and reported, and change nothing.
 */
export class PendingExchanges {
  readonly #open = new IdTable<ExchangeSink>();
  readonly #abandoned = new Set<RequestId>();
  #highest = -Infinity;

  add(id: RequestId, sink: ExchangeSink): void {
    if (typeof id === "number" && id > this.#highest) this.#highest = id;
    this.#open.set(id, sink);
  }

  /** How many await a response. */
  get size(): number {
    return this.#open.size;
  }

  find(id: RequestId): ExchangeSink | undefined {
    return this.#open.get(id);
  }

  /** Removes a request that its sender has given up. Returns whether it was still open. */
  abandon(id: RequestId): boolean {
    if (!this.#open.delete(id)) return false;
    const [oldest] = this.#abandoned.add(id);
    if (this.#abandoned.size > ABANDONED_REMEMBERED) this.#abandoned.delete(oldest!);
    return true;
  }

  /** Fails one request, if it is still open. */
  fail(id: RequestId | undefined, error: Error): void {
    if (id === undefined) return;
    const sink = this.#open.get(id);
    if (this.abandon(id)) sink?.failed(error);
  }

  /** Hands a response to its request, or returns the violation if there is none. */
  settle(response: ResponseMessage): ProtocolViolation | undefined {
    const { id } = response;
    if (id === undefined) {
      const words = "error" in response ? response.error.message : "";
      return new ProtocolViolation("UNKNOWN_RESPONSE", `An error belongs to no request: ${quoteWords(words)}`);
    }
    const sink = this.#open.get(id);
    if (sink === undefined) return this.#classify(id);
    this.#open.delete(id);
    sink.response(response);
    return undefined;
  }

  /** Fails everything that is open with the same error. */
  failAll(error: Error): void {
    for (const sink of this.#open.drain()) sink.failed(error);
  }

  #classify(id: RequestId): ProtocolViolation {
    const shown = typeof id === "string" ? quoteWords(id) : String(id);
    if (this.#abandoned.delete(id)) {
      return new ProtocolViolation("LATE_RESPONSE", `The response to request ${shown} came after it was given up.`);
    }
    if (typeof id === "number" && id >= 0 && id <= this.#highest) {
      return new ProtocolViolation("DUPLICATE_RESPONSE", `Request ${shown} was answered already.`);
    }
    return new ProtocolViolation("UNKNOWN_RESPONSE", `No request with the id ${shown} was sent.`);
  }
}
