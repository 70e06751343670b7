import {
  encodeMessage,
  Multiplexer,
  TransportError,
  UsageError,
  type Exchange,
  type ExchangeHints,
  type ExchangeSink,
  type ExchangeTransport,
  type Message,
  type NotificationMessage,
  type PeerHandlers,
  type ProtocolViolation,
  type RequestId,
  type RequestMessage,
} from "@toolwire/protocol";
import { AnswerReader, type AnswerSink, type Decode } from "./answer-reader.ts";
import { readErrorBody, toFailure } from "./failure.ts";
import { createFetchPort, type Fetch } from "./fetch-port.ts";
import { ResumableStream } from "./legacy/stream.ts";
import { PendingAnswer, type AnswerHost } from "./pending-answer.ts";
import type { HttpExchange, HttpPort, HttpRequest } from "./port.ts";
import { addModernHeaders, modernRevisionOf } from "./request-headers.ts";

/** How to reach a server over HTTP. */
export interface HttpTransportOptions {
  /** Header fields for every request, credentials among them: fixed, or asked for anew each time. */
  readonly headers?: Readonly<Record<string, string>> | (() => HeadersNow | Promise<HeadersNow>) | undefined;
  /** A `fetch` of your own. */
  readonly fetch?: Fetch | undefined;
  /** The largest answer, or event of a stream, that is accepted. Default 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
}

/** Header fields by name. */
export type HeadersNow = Readonly<Record<string, string>>;

/** What {@link HttpTransport} runs on; the entry points choose. */
export interface HttpTransportEngine {
  readonly port: HttpPort;
  readonly decode?: Decode | undefined;
}

const MAX_REDIRECTS = 5;
const MAX_DRAINING = 64;
/** How long closing waits for a server to confirm the end of a session. */
const GOODBYE_MS = 1000;

/** Makes a transport that speaks Streamable HTTP by `fetch`, in browsers as anywhere else. */
export function createHttpTransport(url: string | URL, options: HttpTransportOptions = {}): ExchangeTransport {
  return new HttpTransport(url, options, { port: createFetchPort(options.fetch) });
}

/**
 * Streamable HTTP, both eras: every message is a POST, whose answer is JSON or a stream. The messages themselves say
 * which headers they need, and an `initialize` that succeeds opens a legacy session; nobody has to tell.
 */
export class HttpTransport implements ExchangeTransport, AnswerHost {
  #url: URL;
  readonly #options: HttpTransportOptions;
  readonly #port: HttpPort;
  readonly #decode: Decode | undefined;
  readonly #maxBytes: number;
  readonly #answers = new Map<RequestId, PendingAnswer>();
  readonly #draining = new Set<HttpExchange>();
  /** Requests of legacy servers, and what they tell outside of any request. */
  readonly #inbound: Multiplexer;
  #handlers: PeerHandlers = {};
  #session: { readonly id: string | undefined; readonly revision: string } | undefined;
  #stream: ResumableStream | undefined;
  #closing: Promise<void> | undefined;

  constructor(url: string | URL, options: HttpTransportOptions, engine: HttpTransportEngine) {
    this.#url = readUrl(url);
    this.#options = options;
    this.#port = engine.port;
    this.#decode = engine.decode;
    this.#maxBytes = options.maxMessageBytes ?? 16 * 1024 * 1024;
    this.#inbound = new Multiplexer({
      open() {},
      send: (message) => this.#deliver(message as Message),
      async close() {},
    });
  }

  get url(): URL {
    return this.#url;
  }

  open(handlers: PeerHandlers): void {
    this.#handlers = handlers;
    // All but the end, which `close` tells: this is only one part of the connection.
    void this.#inbound.open({
      ...(handlers.request !== undefined && { request: (request, reply) => handlers.request!(request, reply) }),
      notification: (message) => handlers.notification?.(message),
      violation: (error) => handlers.violation?.(error),
    });
  }

  exchange(request: RequestMessage, sink: ExchangeSink, hints?: ExchangeHints): Exchange {
    const era = { legacy: modernRevisionOf(request) === undefined, inSession: this.#session?.id !== undefined };
    const answer = new PendingAnswer(this, request, sink, era, hints?.headers);
    if (this.#closing !== undefined) queueMicrotask(() => answer.closed(closedError()));
    else {
      this.#answers.set(request.id, answer);
      this.#postRequest(answer);
    }
    return answer;
  }

  async notify(message: NotificationMessage): Promise<void> {
    await this.#deliver(message);
    if (message.method !== "notifications/initialized" || this.#session === undefined) return;
    // Servers may only use the stream once it is open, so whoever waits for this call finds it open.
    this.#stream?.close();
    this.#stream = new ResumableStream(this, {
      message: (received) => this.stray(received),
      violation: (error) => this.violation(error),
      ended: () => {},
    });
    await this.#stream.open();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  // What answers need.

  sessionOpened(header: (name: string) => string | undefined, result: object): void {
    const { protocolVersion } = result as { protocolVersion?: unknown };
    this.#stream?.close();
    this.#stream = undefined;
    this.#session = { id: header("mcp-session-id"), revision: String(protocolVersion) };
  }

  stray(message: Message): void {
    if ("method" in message) {
      if (message.method === "notifications/progress") {
        const token = (message.params as { progressToken?: RequestId } | undefined)?.progressToken;
        const answer = token === undefined ? undefined : this.#answers.get(token);
        if (answer !== undefined) return answer.message(message);
      }
      this.#inbound.message(message);
      return;
    }
    const answer = message.id === undefined ? undefined : this.#answers.get(message.id);
    if (answer === undefined) this.#inbound.message(message);
    else answer.message(message);
  }

  violation(error: ProtocolViolation): void {
    this.#handlers.violation?.(error);
  }

  redirect(answer: PendingAnswer, location: string | undefined): boolean {
    if (location === undefined || ++answer.redirects > MAX_REDIRECTS) return false;
    const target = URL.canParse(location, this.#url) ? new URL(location, this.#url) : undefined;
    // Credentials, session ids and arguments go to the origin they were meant for, and to no other.
    if (target === undefined || target.origin !== this.#url.origin) return false;
    this.#url = target;
    this.#postRequest(answer);
    return true;
  }

  cancelled(request: RequestMessage, reason: string | undefined): void {
    const params = reason === undefined ? { requestId: request.id } : { requestId: request.id, reason };
    this.#deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params }).catch(() => {});
  }

  settled(answer: PendingAnswer): void {
    if (this.#answers.get(answer.request.id) === answer) this.#answers.delete(answer.request.id);
  }

  draining(http: HttpExchange): void {
    this.#draining.add(http);
    if (this.#draining.size <= MAX_DRAINING) return;
    for (const oldest of this.#draining) {
      this.#draining.delete(oldest);
      oldest.abort();
      break;
    }
  }

  drained(http: HttpExchange): void {
    this.#draining.delete(http);
  }

  listen(lastEventId: string | undefined, sink: AnswerSink): HttpExchange {
    const headers: Record<string, string> = { accept: "text/event-stream" };
    if (lastEventId !== undefined) headers["last-event-id"] = lastEventId;
    this.#addSessionHeaders(headers);
    return this.#send("GET", headers, undefined, true, sink);
  }

  #postRequest(answer: PendingAnswer): void {
    const { request, headers: extra } = answer;
    let body: string;
    try {
      body = encodeMessage(request);
    } catch (error) {
      queueMicrotask(() => answer.closed(error as Error));
      return;
    }
    const headers = this.#headersFor(request);
    if (extra !== undefined) Object.assign(headers, extra);
    answer.sent(this.#send("POST", headers, body, request.method === "subscriptions/listen", answer));
  }

  /** POSTs a message that gets no answer but an acknowledgement. */
  #deliver(message: Message): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined) {
        reject(closedError());
        return;
      }
      const { url } = this;
      const inSession = this.#session?.id !== undefined;
      const sink: AnswerSink = {
        message: (received) => this.stray(received),
        violation: (error) => this.violation(error),
        status: (status, _, text) => {
          // Modern servers are not obliged to know any notification; their reason is worth reading, no more.
          const said = readErrorBody(text);
          if (said !== undefined && !inSession) this.#inbound.message(said);
          reject(toFailure(status, url, text, inSession));
        },
        end: resolve,
        failed: reject,
      };
      this.#send("POST", this.#headersFor(message), encodeMessage(message), true, sink);
    });
  }

  #headersFor(message: Message): Record<string, string> {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const modern = modernRevisionOf(message);
    if (modern !== undefined) addModernHeaders(headers, message, modern);
    else if (!("method" in message && message.method === "initialize")) this.#addSessionHeaders(headers);
    return headers;
  }

  #addSessionHeaders(headers: Record<string, string>): void {
    if (this.#session === undefined) return;
    headers["mcp-protocol-version"] = this.#session.revision;
    if (this.#session.id !== undefined) headers["mcp-session-id"] = this.#session.id;
  }

  #send(
    method: HttpRequest["method"],
    headers: Record<string, string>,
    body: string | undefined,
    unqueued: boolean,
    sink: AnswerSink,
  ): HttpExchange {
    const url = this.#url;
    const reader = new AnswerReader(sink, this.#maxBytes, this.#decode);
    const { headers: own } = this.#options;
    if (typeof own !== "function") {
      return this.#port.send(
        { url, method, headers: own === undefined ? headers : { ...own, ...headers }, body, unqueued },
        reader,
      );
    }
    let http: HttpExchange | undefined;
    let aborted = false;
    Promise.resolve()
      .then(own)
      .then(
        (now) => {
          if (aborted) return;
          http = this.#port.send({ url, method, headers: { ...now, ...headers }, body, unqueued }, reader);
        },
        (error: unknown) => reader.failed(error as Error),
      );
    return {
      abort() {
        aborted = true;
        http?.abort();
      },
    };
  }

  async #close(): Promise<void> {
    this.#stream?.close();
    const error = closedError();
    for (const answer of this.#answers.values()) answer.closed(error);
    for (const http of this.#draining) http.abort();
    if (this.#session?.id !== undefined) await this.#endSession();
    await this.#inbound.close();
    await this.#port.close();
    this.#handlers.closed?.(undefined);
  }

  /** Tells the server that the session is over. It may refuse (405), and it may be gone: neither matters now. */
  #endSession(): Promise<void> {
    return new Promise((resolve) => {
      const headers: Record<string, string> = {};
      this.#addSessionHeaders(headers);
      const http = this.#send("DELETE", headers, undefined, true, {
        message() {},
        violation() {},
        status: done,
        end: done,
        failed: done,
      });
      const timer = setTimeout(() => {
        http.abort();
        resolve();
      }, GOODBYE_MS);
      function done(): void {
        clearTimeout(timer);
        resolve();
      }
    });
  }
}

function readUrl(url: string | URL): URL {
  const parsed = URL.canParse(url.toString()) ? new URL(url) : undefined;
  if (parsed?.protocol === "http:" || parsed?.protocol === "https:") return parsed;
  throw new UsageError("INVALID_ARGUMENT", `Not an http or https URL: ${url.toString()}`);
}

function closedError(): TransportError {
  return new TransportError("CLOSED", "The connection was closed before the answer came.");
}
