import type { Message, ProtocolViolation } from "@toolwire/protocol";
import type { AnswerSink } from "../answer-reader.ts";
import type { HttpExchange } from "../port.ts";

/** What a resumable stream needs of its transport. */
export interface StreamHost {
  /** Sends a GET that asks for server-sent events, after `lastEventId` if given. */
  listen(lastEventId: string | undefined, sink: AnswerSink): HttpExchange;
}

/** Where the messages of a stream go. */
export interface StreamSink {
  message(message: Message): void;
  violation(error: ProtocolViolation): void;
  /** The server refuses such streams, or has refused too often; nothing more will come. */
  ended(): void;
}

/** How long to wait before coming back when the server does not say, doubled each time up to the longest. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

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
  #exchange: HttpExchange | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #opened: (() => void) | undefined;

  constructor(
    host: StreamHost,
    sink: StreamSink,
    options: { lastEventId?: string | undefined; retryMs?: number | undefined; maxAttempts?: number } = {},
  ) {
    this.#host = host;
    this.#sink = sink;
    this.#lastEventId = options.lastEventId;
    this.#retryMs = options.retryMs;
    this.#maxAttempts = options.maxAttempts ?? Infinity;
  }

  /** Opens the stream now. Resolves when the server has answered, whatever it said. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      this.#opened = resolve;
      this.#connect();
    });
  }

  /** Opens the stream after the time the server asked for. */
  reopen(): void {
    if (this.#closed) return;
    if (this.#attempts >= this.#maxAttempts) return this.#finish();
    const backoff = Math.min(FIRST_WAIT_MS * 2 ** this.#attempts, LONGEST_WAIT_MS);
    // A little chance, so that a thousand clients do not come back in the same moment.
    const wait = this.#retryMs ?? backoff * (0.75 + Math.random() / 2);
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

  head(): void {
    this.#opened?.();
  }

  message(message: Message): void {
    this.#attempts = 0;
    this.#sink.message(message);
  }

  eventId(id: string): void {
    this.#lastEventId = id;
  }

  retry(ms: number): void {
    this.#retryMs = Math.min(ms, LONGEST_WAIT_MS);
  }

  violation(error: ProtocolViolation): void {
    this.#sink.violation(error);
  }

  /** 405 says there is no such stream, 404 that the session is over; a failing server may recover. */
  status(status: number): void {
    if (status >= 500 && status !== 501) this.reopen();
    else this.#finish();
    this.#opened?.();
  }

  end(): void {
    this.reopen();
    this.#opened?.();
  }

  failed(): void {
    this.reopen();
    this.#opened?.();
  }

  #connect(): void {
    if (!this.#closed) this.#exchange = this.#host.listen(this.#lastEventId, this);
  }

  #finish(): void {
    this.close();
    this.#sink.ended();
  }
}
