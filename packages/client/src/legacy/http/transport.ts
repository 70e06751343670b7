import {
  type Exchange,
  type ExchangeHints,
  type Exchanger,
  type ExchangeSink,
  type Message,
  type NotificationMessage,
  type PeerHandlers,
  ProtocolViolation,
  type RequestMessage,
} from "@toolwire/protocol";
import { closedError, IdTable, PooledSet } from "@toolwire/protocol/internal";
import type { HttpClient } from "../../transports/http/client.ts";
import { explainFailure, HttpStatusError, namesRequest, reportUnrelated } from "../../transports/http/errors.ts";
import { postHeaders } from "../../transports/http/headers.ts";
import type { FailedResponse } from "../../transports/http/message-sink.ts";
import { MessagePoster } from "../../transports/http/post-message.ts";
import { DRAIN_MS } from "../../transports/http/post-request.ts";
import { LegacyRequest, type RequestHost } from "./request.ts";
import { LegacySession } from "./session.ts";
import { guessedLoss, lostSession, sessionLossOf } from "./session-loss.ts";

/** How long the stream of a cancelled request may stay open, in milliseconds. */
const ABANDONED_MS = 300_000;

/** Opens what revisions 2025-03-26 to 2025-11-25 add to Streamable HTTP. */
export function openLegacyHttp(client: HttpClient, handlers: PeerHandlers): Exchanger {
  return new LegacyHttp(client, handlers);
}

/** Exchanges legacy messages over Streamable HTTP. The response to `initialize` begins a session. */
class LegacyHttp implements Exchanger {
  readonly #client: HttpClient;
  readonly #handlers: PeerHandlers;
  readonly #poster: MessagePoster;
  /** Requests that await a response, by id: it may come on the stream of another request. */
  readonly #requests = new IdTable<LegacyRequest>();
  /** Settled requests whose streams are still open. */
  readonly #draining = new PooledSet<LegacyRequest>();
  /** How many of those were cancelled, and may stay open for minutes. */
  #abandoned = 0;
  #session: LegacySession | undefined;
  #isClosed = false;
  readonly #requestHost: RequestHost;

  constructor(client: HttpClient, handlers: PeerHandlers) {
    this.#client = client;
    this.#handlers = handlers;
    this.#poster = new MessagePoster(client, {
      message: (message) => this.#receive(message, undefined),
      violation: (error) => handlers.violation?.(error),
    });
    this.#requestHost = this.#createRequestHost();
  }

  exchange(request: RequestMessage, sink: ExchangeSink, hints?: ExchangeHints): Exchange {
    const isFirst = request.method === "initialize";
    if (isFirst && !this.#isClosed) this.#startOver();
    const posted = new LegacyRequest(this.#requestHost, request, sink);
    if (this.#isClosed) {
      queueMicrotask(() => posted.fail(closedError()));
      return posted;
    }
    this.#requests.set(request.id, posted);
    const headers = postHeaders();
    Object.assign(headers, hints?.headers);
    if (!isFirst) this.#session?.addHeaders(headers);
    posted.start(this.#client, headers);
    return posted;
  }

  async notify(message: NotificationMessage): Promise<void> {
    if (message.method !== "notifications/initialized") return this.#post(message);
    // This one is part of connecting, which has a time limit of its own.
    await this.#post(message, Infinity);
    if (!this.#isClosed) await this.#session?.openStream();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const error = closedError();
    for (const request of this.#requests.list()) request.fail(error);
    for (const request of this.#draining.list()) this.#cutOff(request);
    this.#poster.end(error);
    await this.#session?.close();
  }

  /** Makes ready for `initialize`: streams of cancelled requests belong to the session before. */
  #startOver(): void {
    if (this.#abandoned > 0) {
      for (const request of this.#draining.list()) if (request.isAbandoned) this.#cutOff(request);
    }
    const host = {
      post: (message: Message, timeout?: number) => this.#post(message, timeout),
      findRequest: (id: RequestMessage["id"]) => this.#requests.get(id),
    };
    this.#session ??= new LegacySession(host, this.#client, this.#handlers);
  }

  #createRequestHost(): RequestHost {
    const session = (): LegacySession | undefined => this.#session;
    return {
      get session() {
        return session();
      },
      unrelated: (message, request) => this.#receive(message, request),
      violation: (error, request) => {
        if (this.#session === undefined) this.#handlers.violation?.(error);
        else this.#session.malformed(error, behalfOf(request));
      },
      settled: (request) => {
        const { id } = request.request;
        if (this.#requests.get(id) === request) this.#requests.delete(id);
      },
      draining: (request) => this.#keepOpen(request, DRAIN_MS),
      abandoned: (request) => {
        // The oldest streams stay open: bridges send to the oldest request without a response.
        if (this.#abandoned >= this.#client.backend.spareConnections) request.abort();
        else {
          this.#abandoned += 1;
          this.#keepOpen(request, ABANDONED_MS);
        }
      },
      ended: (request) => this.#forget(request),
    };
  }

  #receive(message: Message, request: LegacyRequest | undefined): void {
    if (this.#session === undefined) reportUnrelated(message, this.#handlers);
    else this.#session.receive(message, behalfOf(request));
  }

  #keepOpen(request: LegacyRequest, ms: number): void {
    clearTimeout(request.drainTimer);
    this.#draining.add(request);
    request.drainTimer = setTimeout(() => this.#cutOff(request), ms);
  }

  #cutOff(request: LegacyRequest): void {
    this.#forget(request);
    request.abort();
  }

  #forget(request: LegacyRequest): void {
    clearTimeout(request.drainTimer);
    if (this.#draining.delete(request) && request.isAbandoned) this.#abandoned -= 1;
  }

  /** POSTs a message that gets an acknowledgement and no response. */
  async #post(message: Message, timeout?: number): Promise<void> {
    if (this.#isClosed) throw closedError();
    const headers = postHeaders();
    this.#session?.addHeaders(headers);
    return this.#poster.send(message, headers, {
      explain: (response, url) => this.#explainPost(message, headers["mcp-session-id"], response, url),
      timeout,
      allowsBatch: this.#session?.allowsBatch === true,
    });
  }

  #explainPost(message: Message, sessionId: string | undefined, response: FailedResponse, url: URL): Error | undefined {
    const isInitialized = "method" in message && message.method === "notifications/initialized";
    const failure = this.#explainLoss(message, sessionId, isInitialized, response, url);
    if (!isInitialized || !(failure instanceof HttpStatusError) || failure.status >= 500) return failure;
    // Servers that know no notifications serve clients that go on.
    const problem = `The server must accept \`notifications/initialized\`. ${failure.message}`;
    this.#handlers.violation?.(new ProtocolViolation("NOT_ACKNOWLEDGED", problem, { cause: failure }));
    return undefined;
  }

  #explainLoss(
    message: Message,
    sessionId: string | undefined,
    isInitialized: boolean,
    response: FailedResponse,
    url: URL,
  ): Error {
    const failure = explainFailure(response, url);
    if (sessionId === undefined) {
      if (response.error !== undefined) this.#receive(response.error, undefined);
      return failure;
    }
    const isNamed = "id" in message && message.id !== undefined && namesRequest(response, message.id);
    const loss = sessionLossOf(response, isNamed);
    // A session that was opened a moment ago is hardly forgotten: a guess would be wrong.
    if (loss === undefined || (loss === "guess" && isInitialized)) return failure;
    this.#session?.forgotten(sessionId);
    return loss === "certain" ? lostSession(response, url) : guessedLoss(response, url, failure);
  }
}

/** The request for which the server may send requests on a stream. A cancelled one needs no answers any more. */
function behalfOf(request: LegacyRequest | undefined): RequestMessage | undefined {
  return request?.isAbandoned === true ? undefined : request?.request;
}
