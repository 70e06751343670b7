import {
  encodeMessage,
  type Exchange,
  type ExchangeSink,
  type MalformedMessage,
  type Message,
  type PeerHandlers,
  type ProtocolViolation,
  type RequestMessage,
  TransportError,
} from "@toolwire/protocol";
import { explainUnsent, type PooledSet, type Pooled } from "@toolwire/protocol/internal";
import type { HttpClient } from "./client.ts";
import { explainMissingResponse, explainRefusal, readRetryAfter, reportUnrelated, toRefusal } from "./errors.ts";
import type { HttpExchange } from "./exchange.ts";
import type { FailedResponse, MessageSink } from "./message-sink.ts";

/** The parts of a transport that its requests share. */
export interface RequestContext {
  readonly client: HttpClient;
  readonly handlers: PeerHandlers;
  /** The requests whose HTTP exchange is not over. */
  readonly open: PooledSet<PostedRequest>;
}

/**
 * How long a stream may stay open after its response, in milliseconds. Most end at once, which frees the connection for
 * other calls; a stream that never ends would keep it, and browsers have six connections.
 */
export const DRAIN_MS = 50;

/** A request of the modern era in flight: one POST, and everything that comes back for it. */
export class PostedRequest implements Exchange, MessageSink, Pooled {
  slot: number | undefined = undefined;
  readonly #context: RequestContext;
  readonly #request: RequestMessage;
  readonly #sink: ExchangeSink;
  #http: HttpExchange | undefined;
  /** Whether the sink has heard its last: the response, a failure, or nothing because of a cancellation. */
  #isSettled = false;
  #drainTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: RequestContext, request: RequestMessage, sink: ExchangeSink) {
    this.#context = context;
    this.#request = request;
    this.#sink = sink;
  }

  /** Sends the request with these headers. */
  start(headers: Record<string, string>): void {
    const request = this.#request;
    const { client, open } = this.#context;
    let body: string;
    try {
      body = encodeMessage(request);
    } catch (error) {
      queueMicrotask(() => this.fail(explainUnsent(error, request)));
      return;
    }
    open.add(this);
    // A subscription keeps its connection for as long as it lasts.
    const unqueued = request.method === "subscriptions/listen";
    this.#http = client.prepare("POST", headers, body, unqueued, this);
    this.#http.start();
  }

  /** Closes the stream, by which modern servers know that the request was cancelled (2026-07-28, "Cancellation"). */
  cancel(): void {
    this.#isSettled = true;
    this.#end();
  }

  /** Ends the exchange with an error, unless it has its response already. */
  fail(error: Error): void {
    const isFirst = !this.#isSettled;
    this.cancel();
    if (isFirst) this.#sink.failed(error);
  }

  // The HTTP exchange calls these.

  message(message: Message): void {
    if (!this.#owns(message)) {
      reportUnrelated(message, this.#context.handlers);
      return;
    }
    if (this.#isSettled) return;
    if ("method" in message) {
      this.#sink.notification(message);
      return;
    }
    this.#isSettled = true;
    if (this.#http!.isStream) this.#drainTimer = setTimeout(() => this.#end(), DRAIN_MS);
    // Some servers write the id as a string, or leave it out of errors.
    this.#sink.response("error" in message ? { ...message, id: this.#request.id } : message);
  }

  violation(error: ProtocolViolation): void {
    this.#context.handlers.violation?.(error);
    // A malformed response is the only one that will come.
    const { id, mayAnswer } = error as Partial<MalformedMessage>;
    if (mayAnswer === false && this.#isNamedBy(id)) this.fail(error);
  }

  refused(response: FailedResponse, http: HttpExchange): void {
    const { id } = this.#request;
    const failure = explainRefusal(response, http.url, this.#request);
    if (failure !== undefined) this.failed(failure);
    else {
      this.#isSettled = true;
      this.#release();
      this.#sink.response(
        { ...response.error!, id },
        toRefusal(response.status, false, true, readRetryAfter(response.header)),
      );
    }
  }

  end(text: string, http: HttpExchange): void {
    if (this.#isSettled) this.#release();
    else if (http.isStream) {
      const message = "The server closed the connection before the answer came.";
      this.fail(new TransportError("CONNECTION_LOST", message));
    } else this.fail(explainMissingResponse(http, text));
  }

  failed(error: Error): void {
    if (this.#isSettled) this.#release();
    else this.fail(error);
  }

  /** Whether a message that came on this stream belongs to the request. */
  #owns(message: Message): boolean {
    if ("method" in message) return !("id" in message);
    return this.#isNamedBy(message.id) || ("error" in message && message.id === undefined);
  }

  #isNamedBy(id: unknown): boolean {
    return id === this.#request.id || id === String(this.#request.id);
  }

  /** Ends the HTTP exchange, whatever is still to come. */
  #end(): void {
    this.#release();
    this.#http?.abort();
  }

  /** The HTTP exchange is over. */
  #release(): void {
    if (this.#drainTimer !== undefined) clearTimeout(this.#drainTimer);
    this.#context.open.delete(this);
  }
}
