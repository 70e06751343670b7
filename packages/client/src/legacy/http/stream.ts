import { AuthError, type Message, ProtocolViolation } from "@toolwire/protocol";
import { explainFailure, HttpStatusError, withoutSecrets } from "../../transports/http/errors.ts";
import type { HttpExchange } from "../../transports/http/exchange.ts";
import type { FailedResponse, MessageSink } from "../../transports/http/message-sink.ts";

/** The services that a session offers to its streams. */
export interface StreamHost {
  /** Whether the stream may hold batches. */
  readonly allowsBatch?: boolean;
  /** Sends a GET that asks for server-sent events, after `lastEventId` if given. */
  listen(lastEventId: string | undefined, sink: MessageSink): HttpExchange;
}

/** Gets the messages of a stream. */
export interface StreamSink {
  message(message: Message): void;
  violation(error: ProtocolViolation): void;
  /** The server has no such streams, or has refused too often: nothing more will come. */
  ended(reason?: Error): void;
  /** The server refused in a way that no server may, or sends something useless; `ended` follows. */
  refused?(reason: Error): void;
  /** The server does not know the session any more, though it had opened or begun the stream before. */
  expired?(): void;
  /** Whether asking for more has become useless, because the session is another one. */
  isOver?(): boolean;
  /** The stream is open after it was not, or not in time, and the server does not repeat what it sent meanwhile. */
  missed?(): void;
}

/** How long to wait before reconnecting if the server does not say; doubled each time up to the longest. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/** The times that a server may ask for instead: not short enough for a storm, nor longer than a timer can be. */
const SHORTEST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 3_600_000;

/** How often in a row a server may refuse with a status below 500. A failing server may be down for longer. */
const MAX_REFUSALS = 10;

/** After this time, a stream counts as stable: its end is a new problem. */
const STABLE_AFTER_MS = 5000;

/** How long to wait for the head of a stream. Many servers send nothing before the first event. */
const OPENING_MS = 1000;

/**
 * A stream of server-sent events that reconnects when it breaks: after the time that the server asked for, and from where
 * it broke off (`Last-Event-ID`). Revisions 2025-03-26 to 2025-11-25 have one per session, and one per interrupted
 * response.
 */
export class ResumableStream implements MessageSink {
  readonly #host: StreamHost;
  readonly #sink: StreamSink;
  readonly #maxAttempts: number;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #attempts = 0;
  #refusals = 0;
  #exchange: HttpExchange | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  /** Whether the stream was open before, or begun as the response to a request. */
  #wasOpen: boolean;
  /** Since when it is open, in milliseconds of `performance.now()`. */
  #since = Infinity;
  #opened: (() => void) | undefined;
  /** Whether `open` waits for the head of the stream. */
  #isAwaited = false;

  constructor(
    host: StreamHost,
    sink: StreamSink,
    options: { lastEventId?: string | undefined; retryMs?: number | undefined; maxAttempts?: number } = {},
  ) {
    this.#host = host;
    this.#sink = sink;
    this.#lastEventId = options.lastEventId;
    this.#wasOpen = options.lastEventId !== undefined;
    if (options.retryMs !== undefined) this.retry(options.retryMs);
    this.#maxAttempts = options.maxAttempts ?? Infinity;
  }

  get allowsBatch(): boolean {
    return this.#host.allowsBatch === true;
  }

  /** Opens the stream now. Resolves when the server has answered, whatever it said, or does not do so soon. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      this.#isAwaited = true;
      this.#opened = () => {
        clearTimeout(timer);
        this.#isAwaited = false;
        resolve();
      };
      const timer = setTimeout(this.#opened, OPENING_MS);
      this.#connect();
    });
  }

  /** Opens the stream after the time that the server asked for, or later if the last attempts were of no use. */
  reopen(): void {
    if (this.#isClosed) return;
    // A stable stream was of use, even if the server had nothing to send.
    if (performance.now() - this.#since > STABLE_AFTER_MS) this.#attempts = 0;
    this.#since = Infinity;
    if (this.#attempts >= this.#maxAttempts) return this.#finish();
    // Random, so that thousands of clients do not reconnect in the same moment.
    const backoff = Math.min(FIRST_WAIT_MS * 2 ** this.#attempts, LONGEST_WAIT_MS) * (0.75 + Math.random() / 2);
    const retryMs = this.#retryMs ?? 0;
    const wait = retryMs > 0 && this.#attempts === 0 ? retryMs : Math.max(retryMs, backoff);
    this.#attempts += 1;
    this.#timer = setTimeout(() => this.#connect(), wait);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#exchange?.abort();
    this.#opened?.();
  }

  head({ status, url, isStream }: HttpExchange): void {
    if (!isStream) {
      this.#refuse(new HttpStatusError(status, `${withoutSecrets(url)} is no stream of events.`));
      return;
    }
    this.#refusals = 0;
    // A server that gives its events ids repeats those that were not received.
    if (!this.#isAwaited && this.#lastEventId === undefined) this.#sink.missed?.();
    this.#wasOpen = true;
    this.#since = performance.now();
    this.#opened?.();
  }

  message(message: Message): void {
    this.#attempts = 0;
    this.#sink.message(message);
  }

  eventId(id: string): void {
    // Servers may let their clients poll: each new id shows that reconnecting is of use.
    if (id !== this.#lastEventId) this.#attempts = 0;
    this.#lastEventId = id;
  }

  retry(ms: number): void {
    this.#retryMs = Math.min(Math.max(ms, SHORTEST_RETRY_MS), LONGEST_RETRY_MS);
  }

  violation(error: ProtocolViolation): void {
    this.#sink.violation(error);
  }

  /** 405 says that there is no such stream, 404 that the session is over; a failing server may recover. */
  refused(response: FailedResponse, { url }: HttpExchange): void {
    const { status } = response;
    // A server that has not noticed yet that the stream broke refuses a second one (409).
    const mayRetry =
      mayRecover(status) || (this.#wasOpen && (status === 409 || (status === 401 && this.#isStandalone)));
    if (mayRetry && status < 500) this.#refusals += 1;
    if (mayRetry && this.#refusals < MAX_REFUSALS) this.reopen();
    else if (this.#sink.expired !== undefined && this.#meansLostSession(status)) {
      this.close();
      this.#sink.expired();
    } else if (status === 404 || status === 405) this.#finish();
    else this.#refuse(explainFailure(response, url));
    this.#opened?.();
  }

  end(): void {
    this.reopen();
    this.#opened?.();
  }

  failed(error: Error): void {
    // No login helps, and asking again would start another one. An authorization server that is down may recover.
    if (error instanceof AuthError && error.code !== "TEMPORARY") {
      this.#refuse(error);
      this.#opened?.();
      return;
    }
    const isTooLarge = error instanceof ProtocolViolation;
    if (isTooLarge) this.#sink.violation(error);
    // A stream that cannot be read at all, such as a compressed one, cannot be read the next time either.
    if ("code" in error && (error.code === "OVERLOADED" || error.code === "UNEXPECTED_RESPONSE")) {
      this.#sink.refused?.(error);
      this.#finish(error);
      // A response that is too large stays so; the standalone stream has other messages to deliver.
    } else if (isTooLarge && !this.#isStandalone) this.#finish(error);
    else this.reopen();
    this.#opened?.();
  }

  /**
   * Whether a status means that the session is lost. Some servers say 404 instead of 405, but not of a stream that was
   * open before. By 400 they may also mean the event id.
   */
  #meansLostSession(status: number): boolean {
    return this.#wasOpen && (status === 404 || (status === 400 && this.#isStandalone));
  }

  /** Whether this is the standalone stream of a session, rather than the rest of a response. */
  get #isStandalone(): boolean {
    return this.#maxAttempts === Infinity;
  }

  #connect(): void {
    if (this.#isClosed) return;
    if (this.#sink.isOver?.() === true) this.#finish();
    else this.#exchange = this.#host.listen(this.#lastEventId, this);
  }

  #refuse(reason: Error): void {
    this.#sink.refused?.(reason);
    this.#finish();
  }

  #finish(reason?: Error): void {
    this.close();
    this.#sink.ended(reason);
  }
}

/** Whether a status says that the server is failing, busy, or was too slow for the moment. */
function mayRecover(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501);
}
