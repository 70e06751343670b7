import { ProtocolViolation, type Message } from "@toolwire/protocol";
import type { AnswerSink, Refusal } from "../../transports/http/response.ts";
import { HttpStatusError, placeOf, toFailure } from "../../transports/http/errors.ts";
import type { SentRequest } from "../../transports/http/request.ts";

/** What a resumable stream needs of its transport. */
export interface StreamHost {
  /** Sends a GET that asks for server-sent events, after `lastEventId` if given. */
  listen(lastEventId: string | undefined, sink: AnswerSink): SentRequest;
}

/** Where the messages of a stream go. */
export interface StreamSink {
  message(message: Message): void;
  violation(error: ProtocolViolation): void;
  /** The server has no such streams, or has refused too often; nothing more will come. */
  ended(reason?: Error): void;
  /** It said so in a way that no server may, or what it sends is of no use; `ended` follows. */
  refused?(reason: Error): void;
  /** The same, because the server, which had opened or begun the stream before, does not know the session any more. */
  expired?(): void;
  /** Whether it is of no use to ask for more: where that could be had is gone. */
  isOver?(): boolean;
  /** The stream is there after it was not, or not in time, and nothing that the server said meanwhile comes again. */
  missed?(): void;
}

/** How long to wait before coming back when the server does not say, doubled each time up to the longest. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/** What a server may ask for instead: enough not to be a storm, and no more than a timer can count. */
const SHORTEST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 3_600_000;

/** How often in a row a server may put a client off. One that fails may be down for long; this one knows what it says. */
const MAX_REFUSALS = 10;

/** A stream that lasted this long was a good one: what ends it is a new trouble. */
const GOOD_AFTER_MS = 5000;

/** How long to wait for the first words of a stream. Many servers say nothing at all before there is an event. */
const OPENING_MS = 1000;

/**
 * A stream of server-sent events that comes back when it breaks: after the time the server asked for, from where it
 * broke off (`Last-Event-ID`). Revisions 2025-03-26 to 2025-11-25 have one per session, and one per interrupted answer.
 */
export class ResumableStream implements AnswerSink {
  readonly #host: StreamHost;
  readonly #sink: StreamSink;
  readonly #maxAttempts: number;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #attempts = 0;
  #refusals = 0;
  #exchange: SentRequest | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  /** Whether it was there before: open, or begun elsewhere, as the answer to a request. */
  #wasOpen: boolean;
  /** Since when it is open, in milliseconds of `performance.now()`. */
  #since = Infinity;
  #opened: (() => void) | undefined;
  /** Whether somebody waits until it is open; whoever does not takes the server to be heard. */
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

  /** Opens the stream after the time the server asked for, or longer if it was of no use the last time. */
  reopen(): void {
    if (this.#closed) return;
    // A stream that lasted was a good one, whether or not there was anything to say.
    if (performance.now() - this.#since > GOOD_AFTER_MS) this.#attempts = 0;
    this.#since = Infinity;
    if (this.#attempts >= this.#maxAttempts) return this.#finish();
    // A little chance, so that a thousand clients do not come back in the same moment.
    const backoff = Math.min(FIRST_WAIT_MS * 2 ** this.#attempts, LONGEST_WAIT_MS) * (0.75 + Math.random() / 2);
    const retryMs = this.#retryMs ?? 0;
    const wait = retryMs > 0 && this.#attempts === 0 ? retryMs : Math.max(retryMs, backoff);
    this.#attempts += 1;
    this.#timer = setTimeout(() => this.#connect(), wait);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#exchange?.abort();
    this.#opened?.();
  }

  head(status: number, _: unknown, streams: boolean): void {
    if (!streams) {
      this.#refuse(new HttpStatusError(status, `${placeOf(this.#exchange!.url)} is no stream of events.`));
      return;
    }
    this.#refusals = 0;
    // A server that numbers its events sends those again that came to nobody.
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
    // Servers may let their clients poll: a place further on is worth coming back for.
    if (id !== this.#lastEventId) this.#attempts = 0;
    this.#lastEventId = id;
  }

  retry(ms: number): void {
    this.#retryMs = Math.min(Math.max(ms, SHORTEST_RETRY_MS), LONGEST_RETRY_MS);
  }

  violation(error: ProtocolViolation): void {
    this.#sink.violation(error);
  }

  /** 405 says there is no such stream, 404 that the session is over; a failing server may recover. */
  refused(refusal: Refusal): void {
    const { status } = refusal;
    // To a server that has not noticed yet that the stream broke, the next one is one too many (409).
    const mayRetry = mayRecover(status) || (this.#wasOpen && (status === 409 || (status === 401 && this.#isEndless)));
    if (mayRetry && status < 500) this.#refusals += 1;
    if (mayRetry && this.#refusals < MAX_REFUSALS) this.reopen();
    else if (this.#sink.expired !== undefined && this.#isForgotten(status)) {
      this.close();
      this.#sink.expired();
    } else if (status === 404 || status === 405) this.#finish();
    else this.#refuse(toFailure(refusal, this.#exchange!.url));
    this.#opened?.();
  }

  end(): void {
    this.reopen();
    this.#opened?.();
  }

  failed(error: Error): void {
    const isTooLarge = error instanceof ProtocolViolation;
    if (isTooLarge) this.#sink.violation(error);
    // What cannot be read at all, such as a compressed stream, can be so the next time no more.
    if ("code" in error && (error.code === "OVERLOADED" || error.code === "UNEXPECTED_RESPONSE")) {
      this.#sink.refused?.(error);
      this.#finish(error);
      // What is too large for an answer stays so; the stream of a session has other things to tell.
    } else if (isTooLarge && !this.#isEndless) this.#finish(error);
    else this.reopen();
    this.#opened?.();
  }

  /** Some servers say 404 instead of 405; but what has been there was found. By 400 they may mean the event id as well. */
  #isForgotten(status: number): boolean {
    return this.#wasOpen && (status === 404 || (status === 400 && this.#isEndless));
  }

  /** Whether this is the stream of a session, rather than the rest of an answer that somebody waits for. */
  get #isEndless(): boolean {
    return this.#maxAttempts === Infinity;
  }

  #connect(): void {
    if (this.#closed) return;
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

/** Whether a refusal is one of the moment: of a server that fails, is busy, or was too slow. */
function mayRecover(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501);
}
