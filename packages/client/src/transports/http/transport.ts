import { createFetchPort, type Fetch } from "./fetch-backend.ts";
import { type GivenHeaders, modernHeaders } from "./headers.ts";
import {
  encodeMessage,
  TransportError,
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
import { explainUnsent, IdTable, Roster } from "@toolwire/protocol/internal";
import { checkGiven } from "../../check-options.ts";
import { readServerUrl } from "../../server-url.ts";
import type { LegacySession, SessionHost } from "../../legacy/http/session.ts";
import type { NoticeHost, Notices } from "./post-message.ts";
import { PendingAnswer, type AnswerHost } from "./pending-answer.ts";
import { Sender, type HttpEngine } from "./request.ts";

/** How to reach a server over HTTP. */
export interface HttpTransportOptions {
  /** Headers of every request, such as credentials: fixed, or a function that is called before each request. */
  readonly headers?: GivenHeaders | (() => GivenHeaders | Promise<GivenHeaders>) | undefined;
  /** A `fetch` of your own. */
  readonly fetch?: Fetch | undefined;
  /** The largest answer, or event of a stream, to accept, in bytes. Default 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How many milliseconds to wait until the server acknowledges a notification. Default 60 000. */
  readonly timeout?: number | undefined;
}

/**
 * How long a stream may stay open behind its response. Its end, which mostly comes at once, frees the connection for other
 * calls; one that never ends would keep it from them, and browsers have six.
 */
const DRAINING_MS = 50;

/** How long the stream of a cancelled legacy request may stay open. */
const ABANDONED_MS = 300_000;

/** Makes a transport for Streamable HTTP over `fetch`. It works in browsers and everywhere else. */
export function createHttpTransport(url: string | URL, options: HttpTransportOptions = {}): ExchangeTransport {
  return new HttpTransport(url, options, { port: createFetchPort(options.fetch) });
}

/**
 * Streamable HTTP, both eras: every message is a POST, whose answer is JSON or a stream. The messages themselves say
 * which headers they need, and an `initialize` that succeeds opens a legacy session; nobody has to tell.
 */
export class HttpTransport implements ExchangeTransport, AnswerHost, NoticeHost, SessionHost {
  readonly hasHeaders = true;
  readonly #sender: Sender;
  readonly #answers = new IdTable<PendingAnswer>();
  readonly #draining = new Roster<PendingAnswer>();
  /** How many of them were cancelled, and may stay for a while. */
  #abandoned = 0;
  #notices: Notices | undefined;
  #handlers: PeerHandlers = {};
  #session: LegacySession | undefined;
  #closing: Promise<void> | undefined;

  constructor(url: string | URL, options: HttpTransportOptions, engine: HttpEngine) {
    this.#sender = new Sender(readServerUrl(url, ["http:", "https:"]), options, engine);
  }

  /** Rejects if it was made with options that are none, such as a limit that is no number. */
  open(handlers: PeerHandlers): Promise<void> {
    this.#handlers = handlers;
    return checkGiven(this.#sender.options);
  }

  exchange(request: RequestMessage, sink: ExchangeSink, hints?: ExchangeHints): Exchange {
    const modern = modernHeaders(request);
    const legacy = modern === undefined;
    const begins = legacy && request.method === "initialize";
    const session = legacy && !begins ? this.#session?.id : undefined;
    const answer = new PendingAnswer(this, request, sink, legacy, session, { ...modern, ...hints?.headers });
    if (this.#closing !== undefined) queueMicrotask(() => answer.closed(closedError()));
    else {
      if (begins) this.#cutOffAbandoned();
      this.#answers.set(request.id, answer);
      if (begins && this.#session === undefined) this.#postInitialize(answer);
      else this.#postRequest(answer);
    }
    return answer;
  }

  async notify(message: NotificationMessage): Promise<void> {
    if (message.method !== "notifications/initialized") return this.deliver(message);
    // This one is part of connecting, which has a time limit of its own.
    await this.deliver(message, Infinity);
    if (this.#closing === undefined) await this.#session?.openStream();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  // What answers and the session need.

  get session(): LegacySession | undefined {
    return this.#session;
  }

  findAnswer(id: RequestId): PendingAnswer | undefined {
    return this.#answers.get(id);
  }

  stray(message: Message, answer?: PendingAnswer): void {
    const session = this.#sessionOf(answer);
    if (session !== undefined) session.receive(message, behalfOf(answer));
    else if ("method" in message && !("id" in message)) this.#handlers.notification?.(message);
    else {
      import("../../parts/later.ts")
        .then(({ explainStray }) => this.#handlers.violation?.(explainStray(message)))
        .catch(() => {});
    }
  }

  violation(error: ProtocolViolation, answer: PendingAnswer): void {
    const session = this.#sessionOf(answer);
    if (session === undefined) this.#handlers.violation?.(error);
    else session.malformed(error, behalfOf(answer));
  }

  settled(answer: PendingAnswer): void {
    if (this.#answers.get(answer.request.id) === answer) this.#answers.delete(answer.request.id);
  }

  draining(answer: PendingAnswer): void {
    this.#stay(answer, DRAINING_MS);
  }

  abandoned(answer: PendingAnswer): void {
    // The oldest stay: it is the oldest unanswered request to which bridges keep.
    if (this.#abandoned >= this.#sender.engine.port.spareConnections) answer.abort();
    else {
      this.#abandoned++;
      this.#stay(answer, ABANDONED_MS);
    }
  }

  drained(answer: PendingAnswer): void {
    clearTimeout(answer.patience);
    if (this.#draining.delete(answer) && answer.isAbandoned) this.#abandoned--;
  }

  async deliver(message: Message, timeout?: number): Promise<void> {
    const notices = this.#notices ?? (await this.#loadNotices());
    if (this.#closing !== undefined) throw closedError();
    const modern = modernHeaders(message);
    return notices.send(message, this.#headersWith(modern, modern === undefined), timeout);
  }

  #stay(answer: PendingAnswer, ms: number): void {
    clearTimeout(answer.patience);
    this.#draining.add(answer);
    answer.patience = setTimeout(() => this.#cutOff(answer), ms);
  }

  /** The session that they belong to is over. */
  #cutOffAbandoned(): void {
    if (this.#abandoned === 0) return;
    for (const answer of this.#draining.list()) if (answer.isAbandoned) this.#cutOff(answer);
  }

  #cutOff(answer: PendingAnswer): void {
    this.drained(answer);
    answer.abort();
  }

  /** A session may be there from before the server turned modern: it has no part in the answers to modern requests. */
  #sessionOf(answer: PendingAnswer | undefined): LegacySession | undefined {
    return answer?.legacy === false ? undefined : this.#session;
  }

  /** The first of its kind waits for all that it may lead to, and that no modern server needs. */
  #postInitialize(answer: PendingAnswer): void {
    import("../../parts/legacy.ts")
      .then(({ LegacySession }) => {
        if (answer.isSettled) return;
        this.#session ??= new LegacySession(this, this.#sender, this.#handlers);
        this.#postRequest(answer);
      })
      .catch((error: unknown) => answer.closed(error as Error));
  }

  async #loadNotices(): Promise<Notices> {
    const { Notices } = await import("../../parts/later.ts");
    return (this.#notices ??= new Notices(this, this.#sender, this.#handlers));
  }

  #postRequest(answer: PendingAnswer): void {
    const { request, legacy } = answer;
    let body: string;
    try {
      body = encodeMessage(request);
    } catch (error) {
      queueMicrotask(() => answer.closed(explainUnsent(error, request)));
      return;
    }
    const headers = this.#headersWith(answer.headers, legacy && request.method !== "initialize");
    const unqueued = request.method === "subscriptions/listen";
    answer.sent(this.#sender.send("POST", headers, body, unqueued, answer));
  }

  #headersWith(own: Readonly<Record<string, string>> | undefined, inSession: boolean): Record<string, string> {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...own,
    };
    if (inSession) this.#session?.addHeaders(headers);
    return headers;
  }

  async #close(): Promise<void> {
    const error = closedError();
    for (const answer of this.#answers.list()) answer.closed(error);
    for (const answer of this.#draining.list()) this.#cutOff(answer);
    this.#notices?.end(error);
    await this.#session?.close();
    await this.#sender.engine.port.close();
    this.#handlers.closed?.(undefined);
  }
}

/** The request that the server may ask for on this stream: one that was cancelled needs nothing any more. */
function behalfOf(answer: PendingAnswer | undefined): RequestMessage | undefined {
  return answer?.isAbandoned === true ? undefined : answer?.request;
}

function closedError(): TransportError {
  return new TransportError("CLOSED", "The client closed the connection before the answer came.");
}
