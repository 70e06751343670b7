import {
  TransportError,
  type Exchange,
  type ExchangeSink,
  type MalformedMessage,
  type Message,
  type ProtocolViolation,
  type RequestMessage,
} from "@toolwire/protocol";
import type { Rostered } from "@toolwire/protocol/internal";
import type { AnswerSink, Refusal } from "./response.ts";
import type { LegacySession } from "../../legacy/http/session.ts";
import type { ResumableStream } from "../../legacy/http/stream.ts";
import type { SentRequest } from "./request.ts";

/** What an answer needs of its transport. */
export interface AnswerHost {
  /** What the legacy era has besides answers; there once `initialize` is sent. */
  readonly session: LegacySession | undefined;
  /**
   * A message on this stream that does not belong to the request: legacy servers may put anything there. What they ask
   * there, they ask on behalf of the request.
   */
  stray(message: Message, answer: PendingAnswer): void;
  /** Something on this stream that is no message. */
  violation(error: ProtocolViolation, answer: PendingAnswer): void;
  settled(answer: PendingAnswer): void;
  /** The response has come, but its stream is still open; a kept-alive connection is worth waiting for the end of it. */
  draining(answer: PendingAnswer): void;
  /** Nobody waits for the response any more, but others may be served by its stream. */
  abandoned(answer: PendingAnswer): void;
  drained(answer: PendingAnswer): void;
}

/** One POSTed request and everything that comes back for it, over as many connections as that takes. */
export class PendingAnswer implements Exchange, AnswerSink, Rostered {
  place: number | undefined = undefined;
  /** Kept by the transport: what ends the wait for the end of the stream. */
  patience: ReturnType<typeof setTimeout> | undefined = undefined;
  readonly request: RequestMessage;
  /** Header fields beyond the usual: what repeats parts of a modern request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the request belongs to the legacy era, whose answers can be resumed and hold messages of any kind. */
  readonly legacy: boolean;
  /** The id of the session that it was sent in, whose loss can be repaired. */
  readonly #session: string | undefined;
  readonly #host: AnswerHost;
  readonly #sink: ExchangeSink;
  #http: SentRequest | undefined;
  #status = 0;
  #header: ((name: string) => string | undefined) | undefined;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #resumed: ResumableStream | undefined;
  #streams = false;
  #settled = false;
  #isAbandoned = false;

  constructor(
    host: AnswerHost,
    request: RequestMessage,
    sink: ExchangeSink,
    legacy: boolean,
    session: string | undefined,
    headers: Readonly<Record<string, string>>,
  ) {
    this.#host = host;
    this.request = request;
    this.#sink = sink;
    this.legacy = legacy;
    this.#session = session;
    this.headers = headers;
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  /** Whether it was cancelled, and its stream left open. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** The request is on its way by this HTTP exchange. */
  sent(http: SentRequest): void {
    if (this.#settled) http.abort();
    else this.#http = http;
  }

  cancel(reason?: string): void {
    if (!this.#settle()) return;
    const { session } = this.#host;
    const isTold = this.legacy && this.#http?.mayBeSent === true && this.request.method !== "initialize";
    if (!isTold || session === undefined) {
      // A modern server takes the closed stream for the cancellation that it is.
      this.#giveUp();
      return;
    }
    // Legacy servers are told, and SHOULD NOT take a closed stream for a cancellation ("Sending Messages to the Server").
    session.forsake(this.request);
    session.cancel(this.request, reason);
    // Without a session, a server cannot tell which request a notification is about: only the closed stream reaches it.
    if (this.#session === undefined) {
      this.#giveUp();
      return;
    }
    this.#isAbandoned = true;
    this.#host.abandoned(this);
  }

  head(status: number, header: (name: string) => string | undefined, streams: boolean): void {
    this.#status = status;
    this.#header = header;
    this.#streams = streams;
  }

  message(message: Message): void {
    const { id } = this.request;
    const isOwn =
      "method" in message
        ? !("id" in message) && (!this.legacy || belongsToRequest(message.method))
        : this.#isNamedBy(message.id) || ("error" in message && message.id === undefined);
    // What does not belong to the request is heard behind the response as well: a batch knows no order.
    if (!isOwn) return this.#host.stray(message, this);
    if (this.#isAbandoned) return this.#overhear(message);
    if (this.#settled) return;
    if ("method" in message) return this.#sink.notification(message);
    if (this.request.method === "initialize" && "result" in message) {
      this.#host.session?.begin(this.#header ?? (() => undefined), message.result);
    }
    if (!this.#settle()) return;
    if (this.#streams) this.#host.draining(this);
    this.#sink.response("error" in message ? { ...message, id } : message);
  }

  /**
   * Takes what comes on a stream that was left open. Bridges that do not know whose a message is may send there what belongs to
   * other requests.
   */
  #overhear(message: Message): void {
    if (!("method" in message)) return this.#host.draining(this);
    const { progressToken } = (message.params ?? {}) as { readonly progressToken?: unknown };
    if (!this.#isNamedBy(progressToken)) this.#host.stray(message, this);
  }

  eventId(id: string): void {
    this.#lastEventId = id;
  }

  retry(ms: number): void {
    this.#retryMs = ms;
  }

  violation(error: ProtocolViolation): void {
    this.#host.violation(error, this);
    // A broken response is one all the same: no other will come.
    const { id, mayAnswer } = error as Partial<MalformedMessage>;
    if (mayAnswer === false && this.#isNamedBy(id)) this.closed(error);
  }

  refused(refusal: Refusal): void {
    if (this.#settled) return this.#host.drained(this);
    const session = this.#session;
    const forget = session === undefined ? undefined : () => this.#host.session?.forgottenByRequest(session);
    import("../../parts/later.ts")
      .then(({ explainRefusal }) => {
        const { error, status } = refusal;
        const { id } = this.request;
        const failure = explainRefusal(refusal, this.#http!.url, this.request, forget);
        if (failure !== undefined) this.closed(failure);
        else if (this.#settle()) this.#sink.response({ ...error!, id }, status);
      })
      .catch((error: unknown) => this.closed(error as Error));
  }

  end(text: string): void {
    if (this.#settled) this.#host.drained(this);
    else if (this.#streams) {
      this.#interrupted(
        new TransportError("CONNECTION_LOST", "The server closed the connection before the answer came."),
      );
    } else {
      import("../../parts/later.ts")
        .then(({ toNoAnswer }) => {
          this.closed(toNoAnswer(this.#status, this.#http!.url, this.#header?.("content-type"), text));
        })
        .catch((error: unknown) => this.closed(error as Error));
    }
  }

  failed(error: Error): void {
    if (this.#settled) this.#host.drained(this);
    // What is too large, or too much, will be no less when it is asked for again.
    else if ("code" in error && (error.code === "TOO_LARGE" || error.code === "OVERLOADED")) this.closed(error);
    else this.#interrupted(error);
  }

  /** Ends the connection, whatever is still to come. */
  abort(): void {
    this.#http?.abort();
  }

  /** No response will come any more. */
  closed(error: Error): void {
    if (!this.#settle()) return;
    this.#giveUp();
    this.#sink.failed(error);
  }

  /** Some servers write the number as a string. */
  #isNamedBy(id: unknown): boolean {
    return id === this.request.id || id === String(this.request.id);
  }

  /** Legacy servers give their events ids, so that the rest can be asked for; all others have lost it. */
  #interrupted(error: Error): void {
    const { session } = this.#host;
    this.#streams = false;
    const lastEventId = this.#lastEventId;
    if (!this.legacy || lastEventId === undefined || session === undefined) this.closed(error);
    else this.#resumed = session.resume(this, { lastEventId, retryMs: this.#retryMs, reason: error });
  }

  #giveUp(): void {
    this.#host.session?.forsake(this.request);
    this.#http?.abort();
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#resumed?.close();
    this.#host.settled(this);
    return true;
  }
}

/** On the stream of a legacy request, these are about the request; the rest concerns the session. */
function belongsToRequest(method: string): boolean {
  return method === "notifications/progress" || method === "notifications/message";
}
