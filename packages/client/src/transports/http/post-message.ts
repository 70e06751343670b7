import { encodeMessage, type Message, type ProtocolViolation } from "@toolwire/protocol";
import { whenAborted } from "@toolwire/protocol/internal";
import { inTime, type PausedTime } from "../../waiting.ts";
import type { HttpClient } from "./client.ts";
import type { HttpExchange } from "./exchange.ts";
import type { FailedResponse } from "./message-sink.ts";

/** Sends a message, and calls back when it was acknowledged or has failed. */
export type Post = (acknowledged: () => void, failed: (error: Error) => void) => HttpExchange;

const DEFAULT_TIMEOUT_MS = 60_000;

/** Messages that were sent and are not acknowledged yet. Each has a time limit. */
export class PendingPosts {
  readonly #timeout: number;
  readonly #pausedTime: PausedTime;
  readonly #over = new AbortController();

  constructor(timeout: number = DEFAULT_TIMEOUT_MS, pausedTime?: PausedTime) {
    this.#timeout = timeout;
    this.#pausedTime = pausedTime;
  }

  /** Sends a message, and resolves when it is acknowledged. */
  start(post: Post, timeout: number = this.#timeout): Promise<void> {
    const message = `A message was not acknowledged within ${timeout} ms. If it may take longer, raise \`acknowledgeTimeout\`.`;
    const work = (limit: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        const http = post(resolve, reject);
        whenAborted(limit, () => http.abort());
      });
    return inTime(timeout, message, [this.#over.signal], work, false, this.#pausedTime);
  }

  /** Aborts everything that is pending. */
  end(error: Error): void {
    this.#over.abort(error);
  }
}

/** How many streams may stay open that servers sent in place of acknowledgements. */
const MAX_STREAMS = 16;

/** Handles what comes back for a message that gets an acknowledgement and no response. */
export interface PostHandlers {
  /** A message that came in place of an acknowledgement. */
  message(message: Message): void;
  violation(error: ProtocolViolation): void;
}

/** How to post one message. */
export interface PostOptions {
  /** Turns a failed response into an error, or into `undefined` if the message counts as acknowledged all the same. */
  explain(response: FailedResponse, url: URL): Error | undefined;
  /** Milliseconds until the message is given up; that of the transport unless given. */
  readonly timeout?: number | undefined;
  /** Whether batches may come back. */
  readonly allowsBatch?: boolean;
}

/** Posts the messages that get an acknowledgement and no response: notifications, and responses to legacy servers. */
export class MessagePoster {
  readonly #client: HttpClient;
  readonly #handlers: PostHandlers;
  readonly #pending: PendingPosts;
  /** Streams that servers sent in place of acknowledgements. */
  readonly #streams = new Set<HttpExchange>();

  constructor(client: HttpClient, handlers: PostHandlers) {
    this.#client = client;
    this.#handlers = handlers;
    this.#pending = new PendingPosts(client.options.acknowledgeTimeout, client.auth?.pausedTime);
  }

  /** Resolves when the message is acknowledged. */
  send(message: Message, headers: Record<string, string>, options: PostOptions): Promise<void> {
    const { timeout, allowsBatch = false } = options;
    return this.#pending.start((acknowledged, failed) => {
      return this.#client.send("POST", headers, encodeMessage(message), {
        allowsBatch,
        message: (received) => this.#handlers.message(received),
        violation: (error) => this.#handlers.violation(error),
        head: (http) => {
          if (!http.isStream) return;
          // A stream is an acknowledgement too, and may stay open for as long as the connection.
          acknowledged();
          if (this.#streams.size < MAX_STREAMS) this.#streams.add(http);
          else http.abort();
        },
        refused: (response, http) => {
          const failure = options.explain(response, http.url);
          if (failure === undefined) acknowledged();
          else failed(failure);
        },
        end: (_, http) => {
          this.#streams.delete(http);
          acknowledged();
        },
        failed: (error, http) => {
          this.#streams.delete(http);
          failed(error);
        },
      });
    }, timeout);
  }

  /** Aborts everything that is pending. */
  end(error: Error): void {
    this.#pending.end(error);
    for (const stream of this.#streams) stream.abort();
  }
}
