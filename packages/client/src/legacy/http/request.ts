import {
  encodeMessage,
  type Exchange,
  type ExchangeSink,
  type MalformedMessage,
  type Message,
  type ProtocolViolation,
  type RequestMessage,
  TransportError,
} from "@toolwire/protocol";
import { explainUnsent, type Pooled } from "@toolwire/protocol/internal";
import type { HttpClient } from "../../transports/http/client.ts";
import { explainMissingResponse, explainRefusal, readRetryAfter, toRefusal } from "../../transports/http/errors.ts";
import type { HttpExchange } from "../../transports/http/exchange.ts";
import type { FailedResponse, MessageSink } from "../../transports/http/message-sink.ts";
import type { LegacySession, ResumableRequest } from "./session.ts";
import { explainSessionRefusal } from "./session-loss.ts";
import type { ResumableStream } from "./stream.ts";

/** The services that the legacy transport offers to its requests. */
export interface RequestHost {
  /** The session; absent until `initialize` is sent. */
  readonly session: LegacySession | undefined;
  /** A message on the stream of a request that does not belong to it: legacy servers may send any message there. */
  unrelated(message: Message, request: LegacyRequest): void;
  /** A text on the stream of a request that is not a message. */
  violation(error: ProtocolViolation, request: LegacyRequest): void;
  /** The request awaits no response any more. */
  settled(request: LegacyRequest): void;
  /** The response has come, but its stream is still open. */
  draining(request: LegacyRequest): void;
  /** The request was cancelled, but the server may use its stream for other messages. */
  abandoned(request: LegacyRequest): void;
  /** The HTTP exchange of a settled request is over. */
  ended(request: LegacyRequest): void;
}

/** A legacy request in flight: everything that comes back for it, over as many connections as that takes. */
export class LegacyRequest implements Exchange, MessageSink, ResumableRequest, Pooled {
  slot: number | undefined = undefined;
  /** Set by the transport: closes a stream that stays open after the request is settled. */
  drainTimer: ReturnType<typeof setTimeout> | undefined = undefined;
  readonly request: RequestMessage;
  readonly allowsBatch: boolean;
  /** Whether the request was cancelled, and its stream left open. */
  isAbandoned = false;
  readonly #host: RequestHost;
  readonly #sink: ExchangeSink;
  /** The id of the session that the request belongs to. */
  readonly #sessionId: string | undefined;
  #http: HttpExchange | undefined;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #resumed: ResumableStream | undefined;
  #isSettled = false;

  constructor(host: RequestHost, request: RequestMessage, sink: ExchangeSink) {
    this.#host = host;
    this.request = request;
    this.#sink = sink;
    const session = request.method === "initialize" ? undefined : host.session;
    this.#sessionId = session?.id;
    this.allowsBatch = session?.allowsBatch === true;
  }

  start(client: HttpClient, headers: Record<string, string>): void {
    let body: string;
    try {
      body = encodeMessage(this.request);
    } catch (error) {
      queueMicrotask(() => this.fail(explainUnsent(error, this.request)));
      return;
    }
    this.#http = client.prepare("POST", headers, body, false, this);
    this.#http.start();
  }

  cancel(reason?: string): void {
    if (!this.#settle()) return;
    const { session } = this.#host;
    const isTold = this.#http?.mayBeSent === true && this.request.method !== "initialize";
    if (!isTold || session === undefined) {
      this.#giveUp();
      return;
    }
    // A legacy server is told, and SHOULD NOT take a closed stream for a cancellation ("Sending Messages to the Server").
    session.withdraw(this.request);
    session.cancel(this.request, reason);
    // Without a session id, the server cannot tell which request the notification is about: only closing reaches it.
    if (this.#sessionId === undefined) {
      this.#giveUp();
      return;
    }
    this.isAbandoned = true;
    this.#host.abandoned(this);
  }

  /** No response will come any more. */
  fail(error: Error): void {
    if (!this.#settle()) return;
    this.#giveUp();
    this.#sink.failed(error);
  }

  /** Closes the connection, whatever is still to come. */
  abort(): void {
    this.#http?.abort();
  }

  // The HTTP exchange calls these, and the stream that delivers the rest of an interrupted response.

  message(message: Message): void {
    // Messages that do not belong to the request are handled after the response as well: a batch has no order.
    if (!this.#owns(message)) return this.#host.unrelated(message, this);
    if (this.isAbandoned) return this.#overhear(message);
    if (this.#isSettled) return;
    if ("method" in message) return this.#sink.notification(message);
    if (this.request.method === "initialize" && "result" in message) {
      this.#host.session?.begin((name) => this.#http?.header(name), message.result);
    }
    if (!this.#settle()) return;
    if (this.#resumed === undefined && this.#http?.isStream === true) this.#host.draining(this);
    // Some servers leave the id out of errors, or write it as a string.
    this.#sink.response("error" in message ? { ...message, id: this.request.id } : message);
  }

  eventId(id: string): void {
    this.#lastEventId = id;
  }

  retry(ms: number): void {
    this.#retryMs = ms;
  }

  violation(error: ProtocolViolation): void {
    this.#host.violation(error, this);
    // A malformed response is the only one that will come.
    const { id, mayAnswer } = error as Partial<MalformedMessage>;
    if (mayAnswer === false && this.#isNamedBy(id)) this.fail(error);
  }

  refused(response: FailedResponse, { url }: HttpExchange): void {
    if (this.#isSettled) return this.#host.ended(this);
    const { request } = this;
    const sessionId = this.#sessionId;
    const failure =
      sessionId === undefined ? explainRefusal(response, url, request) : explainSessionRefusal(response, url, request);
    // A 404 that names the request can be about the session as well: later requests are to find a new one.
    const isLoss = failure instanceof TransportError && failure.code === "SESSION_EXPIRED";
    if (sessionId !== undefined && response.status === 404 && !isLoss) {
      this.#host.session?.forgottenByRequest(sessionId);
    }
    if (failure !== undefined) this.fail(failure);
    else if (this.#settle()) {
      this.#sink.response(
        { ...response.error!, id: request.id },
        toRefusal(response.status, false, true, readRetryAfter(response.header)),
      );
    }
  }

  end(text: string, http: HttpExchange): void {
    if (this.#isSettled) this.#host.ended(this);
    else if (http.isStream) {
      const message = "The server closed the connection before the answer came.";
      this.#interrupted(new TransportError("CONNECTION_LOST", message));
    } else this.fail(explainMissingResponse(http, text));
  }

  failed(error: Error): void {
    if (this.#isSettled) this.#host.ended(this);
    // A response beyond a limit would be so again.
    else if ("code" in error && (error.code === "TOO_LARGE" || error.code === "OVERLOADED")) this.fail(error);
    else this.#interrupted(error);
  }

  /** Whether a message belongs to the request. Other notifications on its stream concern the session. */
  #owns(message: Message): boolean {
    if (!("method" in message)) {
      return this.#isNamedBy(message.id) || ("error" in message && message.id === undefined);
    }
    const { method } = message;
    return !("id" in message) && (method === "notifications/progress" || method === "notifications/message");
  }

  /**
   * Handles a message on the stream of a cancelled request. Bridges that do not know which request a message belongs to may
   * send there what belongs to others.
   */
  #overhear(message: Message): void {
    if (!("method" in message)) return this.#host.draining(this);
    const { progressToken } = (message.params ?? {}) as { readonly progressToken?: unknown };
    if (!this.#isNamedBy(progressToken)) this.#host.unrelated(message, this);
  }

  #isNamedBy(id: unknown): boolean {
    return id === this.request.id || id === String(this.request.id);
  }

  /** Asks for the rest of the response, if the server has given its events ids; otherwise it is lost. */
  #interrupted(reason: Error): void {
    const { session } = this.#host;
    const lastEventId = this.#lastEventId;
    if (lastEventId === undefined || session === undefined) this.fail(reason);
    else this.#resumed = session.resume(this, { lastEventId, retryMs: this.#retryMs, reason });
  }

  #giveUp(): void {
    this.#host.session?.withdraw(this.request);
    this.abort();
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#resumed?.close();
    this.#host.settled(this);
    return true;
  }
}
