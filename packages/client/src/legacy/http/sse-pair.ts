import {
  type Channel,
  type ChannelReceiver,
  encodeMessage,
  ErrorCode,
  MalformedMessage,
  type Message,
  type NotificationMessage,
  type Outgoing,
  ProtocolViolation,
  type RequestId,
  type RequestMessage,
  TransportError,
} from "@toolwire/protocol";
import { closedError, UnsentError } from "@toolwire/protocol/internal";
import { checkOptions } from "../../check-options.ts";
import { createHttpClient, type HttpClient } from "../../transports/http/client.ts";
import type { SendsSecrets } from "../../transports/sent-secrets.ts";
import { explainFailure, HttpStatusError, namesRequest, withoutSecrets } from "../../transports/http/errors.ts";
import type { HttpExchange } from "../../transports/http/exchange.ts";
import { readAddress } from "../../transports/http/headers.ts";
import type { FailedResponse } from "../../transports/http/message-sink.ts";
import type { HttpTransportOptions } from "../../transports/http/options.ts";
import { PendingPosts } from "../../transports/http/post-message.ts";
import { inTime } from "../../waiting.ts";
import {
  CANCELLATION_MS,
  ConcurrencyLimit,
  MAX_CANCELLATIONS,
  MAX_REPLIES,
  MAX_WAITING_REPLIES,
} from "./concurrency-limit.ts";
import { guessedLoss, lostSession, sessionLossOf } from "./session-loss.ts";

/** How many requests are sent at once: each takes a connection. */
const MAX_REQUESTS = 64;

/** How long a request may go unacknowledged once it has its response. Some servers acknowledge none at all. */
const ACKNOWLEDGEMENT_MS = 100;

/** How long closing waits for messages that are being sent. */
const CLOSING_MS = 1000;

/** How long responses may still come on the stream of a server that cannot be reached any more. */
const UNREACHABLE_MS = 1000;

/**
 * Makes a channel to a server of revision 2024-11-05, over its HTTP+SSE pair: an event stream for everything that the
 * server sends, and an address, named by the first event, to POST everything to.
 */
export function createSsePairChannel(url: string | URL, options: HttpTransportOptions = {}): Channel {
  return new SsePair(createHttpClient(url, options));
}

class SsePair implements Channel, SendsSecrets {
  /** Where the stream is, and, once the stream has named it, where messages are posted. */
  readonly #source: HttpClient;
  #target: HttpClient | undefined;
  #receiver: ChannelReceiver | undefined;
  #stream: HttpExchange | undefined;
  #rejectOpening: ((error: Error) => void) | undefined;
  #isClosed = false;
  /** Resolves when the receiver knows that the connection is closed. */
  #ended: Promise<void> | undefined;
  /** Closes the connection, once the server cannot be reached any more. */
  #unreachableTimer: ReturnType<typeof setTimeout> | undefined;
  /**
   * Messages are POSTed without waiting for the one before, because some servers acknowledge a request only with its
   * response. Where order matters, in the handshake, each message answers the last. Requests have time limits of their
   * own, and end when they have their response or are cancelled, so there is no limit here.
   */
  readonly #posts = new PendingPosts(Infinity);
  readonly #sending = new Set<Promise<void>>();
  readonly #requests = new ConcurrencyLimit<RequestId>(MAX_REQUESTS);
  /** Stops the wait for the acknowledgement of each request that is being sent. */
  readonly #unacknowledged = new Map<RequestId, () => void>();
  readonly #cancellations = new ConcurrencyLimit<NotificationMessage>(MAX_CANCELLATIONS);
  readonly #replies = new ConcurrencyLimit<object>(MAX_REPLIES);

  constructor(client: HttpClient) {
    this.#source = client;
  }

  /** Rejects if an option is not what its type says, as the transport for Streamable HTTP does. */
  async open(receiver: ChannelReceiver): Promise<void> {
    this.#receiver = receiver;
    checkOptions(this.#source.options);
    if (this.#isClosed) throw closedError();
    return new Promise<void>((resolve, reject) => {
      this.#rejectOpening = reject;
      this.#listen(receiver, resolve);
    });
  }

  send(message: Outgoing): Promise<void> {
    if (this.#isClosed) throw closedError();
    const body = encodeMessage(message);
    const post = (timeout?: number): Promise<void> =>
      this.#posts.start((acknowledged, failed) => this.#post(message, body, acknowledged, failed), timeout);
    const isRequest = "method" in message && "id" in message;
    if (!isRequest && isCancellation(message)) return this.#cancel(message, post);
    if (isRequest && this.#unreachableTimer !== undefined) throw unreachableError();
    // Answers to the server do not wait for requests: requests that are being sent may depend on them.
    const delivery = isRequest
      ? this.#requests.run(message.id, () => this.#postRequest(message, body))
      : this.#replies.run(message, post, "method" in message ? Infinity : MAX_WAITING_REPLIES);
    return this.#track(
      delivery.catch((error: unknown) => {
        this.#concludeFrom(error as Error, !("method" in message));
        throw error;
      }),
    );
  }

  clear(text: string): string {
    return this.#source.secrets.clear(text);
  }

  async close(): Promise<void> {
    await inTime(CLOSING_MS, "", [], () => Promise.allSettled(this.#sending)).catch(() => {});
    this.#end(undefined);
    await this.#ended;
    await this.#source.backend.close();
  }

  /** Closes the connection if the failure of one message means that others will fail, too. */
  #concludeFrom(error: Error, isReply: boolean): void {
    if (this.#isClosed) return;
    // That a message was not sent is true of this message alone.
    const cause = error instanceof UnsentError ? (error.cause as Error) : error;
    const state = stateAfter(error);
    if (state === "unreachable") {
      this.#unreachableTimer ??= setTimeout(() => this.#end(lossBy(cause)), UNREACHABLE_MS);
      this.#receiver?.outputEnded?.();
    } else if (state === "gone") {
      // Later calls, and the one that found out, wait for the next connection.
      this.#receiver?.outputEnded?.();
      this.#end(lossBy(cause));
    } else if (isReply) {
      // The server may wait for the answer for ever, and so would the call for which it asked.
      this.#end(error instanceof TransportError && error.code === "OVERLOADED" ? error : lossBy(cause));
    }
  }

  /** Sends a cancellation, and ignores its failure. A request that is still waiting is not sent at all. */
  #cancel(message: NotificationMessage, post: (timeout: number) => Promise<void>): Promise<void> {
    const { requestId } = message.params as { readonly requestId: RequestId };
    if (this.#requests.drop(requestId)) return Promise.resolve();
    this.#unacknowledged.get(requestId)?.();
    return this.#track(this.#cancellations.run(message, () => post(CANCELLATION_MS)).catch(() => {}));
  }

  /** Rejects with an `UnsentError` if the connection ends before any of the request is sent. */
  #postRequest(message: RequestMessage, body: string): Promise<void> {
    const { id } = message;
    if (this.#isClosed || this.#unreachableTimer !== undefined) throw new UnsentError(unreachableError());
    let http: HttpExchange | undefined;
    const delivery = this.#posts.start((acknowledged, failed) => {
      http = this.#post(message, body, acknowledged, failed);
      this.#unacknowledged.set(id, () => {
        acknowledged();
        http?.abort();
      });
      return http;
    });
    return delivery
      .catch((error: unknown) => {
        if (!(error instanceof TransportError)) throw error;
        const isUnsent = error.code === "CONNECT_FAILED" || (this.#isClosed && http?.mayBeSent !== true);
        throw isUnsent ? new UnsentError(error) : error;
      })
      .finally(() => this.#unacknowledged.delete(id));
  }

  #post(message: Outgoing, body: string, acknowledged: () => void, failed: (error: Error) => void): HttpExchange {
    if (this.#isClosed || this.#target === undefined) throw closedError();
    return this.#target.send("POST", { "content-type": "application/json" }, body, {
      message() {},
      violation() {},
      refused: (response, { url }) => failed(explainPostRefusal(response, url, message)),
      end: () => acknowledged(),
      failed: (error) => failed(error),
    });
  }

  /** Opens the stream, which must name the address to POST to. */
  #listen(receiver: ChannelReceiver, opened: () => void): void {
    const fail = (error: Error): void => this.#end(error);
    this.#stream = this.#source.send("GET", { accept: "text/event-stream" }, undefined, {
      head: ({ status, url, isStream }) => {
        if (!isStream) fail(new HttpStatusError(status, `${withoutSecrets(url)} is no stream of events.`));
      },
      event: (type, data) => {
        if (type !== "endpoint") return false;
        const problem = this.#learnEndpoint(data, this.#stream!.url);
        if (problem === undefined) opened();
        else fail(problem);
        return true;
      },
      message: (message) => {
        this.#noteResponse(message);
        receiver.message(message);
      },
      // The revision is agreed on over the stream itself, so its headers do not say whether batches are allowed.
      batch: (items) => {
        for (const item of items) this.#noteResponse(item);
        receiver.batch(items);
      },
      violation: (error) => receiver.malformed(toMalformed(error)),
      refused: (response, { url }) => fail(explainFailure(response, url)),
      end: (_, { url }) => fail(new TransportError("CONNECTION_LOST", `${url.origin} ended its stream of events.`)),
      failed: (error) => fail(error),
    });
  }

  /** Reads the address to POST to. The server names it, so it must not lead messages and credentials elsewhere. */
  #learnEndpoint(data: string, from: URL): ProtocolViolation | undefined {
    const endpoint = readAddress(data, from);
    if (endpoint === undefined) {
      const words = this.#source.secrets.clear(data);
      const place = URL.canParse(words, from)
        ? withoutSecrets(new URL(words, from))
        : JSON.stringify(words.slice(0, 200));
      const message = `${from.origin} wants messages sent to another origin, or with credentials of its own: ${place}`;
      return new ProtocolViolation("INVALID_MESSAGE", message);
    }
    this.#target = this.#source.at(endpoint);
    return undefined;
  }

  /** A request that has its response need not be acknowledged any more. */
  #noteResponse(item: Message | MalformedMessage): void {
    const stopWaiting = "method" in item ? undefined : this.#unacknowledged.get(item.id!);
    if (stopWaiting !== undefined) setTimeout(stopWaiting, ACKNOWLEDGEMENT_MS);
  }

  #track(sent: Promise<void>): Promise<void> {
    this.#sending.add(sent);
    const forget = (): void => void this.#sending.delete(sent);
    sent.then(forget, forget);
    return sent;
  }

  #end(reason: Error | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#unreachableTimer);
    this.#rejectOpening?.(reason ?? closedError());
    this.#stream?.abort();
    this.#posts.end(reason ?? closedError());
    // Messages that were not sent fail first, so that they can be sent over the next connection.
    this.#ended = Promise.allSettled(this.#sending).then(() => this.#receiver?.closed(reason));
  }
}

/**
 * The state of the connection after one POST has failed. `up`: the message alone has failed. `unreachable`: no
 * other message will arrive, but responses may still come on the stream. `gone`: the server does not know the connection.
 */
type ConnectionState = "up" | "unreachable" | "gone";

function stateAfter(error: Error): ConnectionState {
  // Gateways say so of a server that they cannot reach.
  if (error instanceof HttpStatusError) return error.status === 502 || error.status === 504 ? "unreachable" : "up";
  const code = error instanceof TransportError ? error.code : undefined;
  if (code === "SESSION_EXPIRED") return "gone";
  return code === "CONNECT_FAILED" || code === "CONNECTION_LOST" ? "unreachable" : "up";
}

/** Explains the refusal of a message. The session is part of the address, so its loss looks as it does elsewhere. */
function explainPostRefusal(response: FailedResponse, url: URL, message: Outgoing): Error {
  const failure = explainFailure(response, url);
  const { id, method } = message as Partial<RequestMessage>;
  // The address was named a moment ago: if nothing is there, it never was right.
  if (method === "initialize") return failure;
  const loss = sessionLossOf(response, id !== undefined && namesRequest(response, id));
  if (loss === "certain") return lostSession(response, url);
  return loss === "guess" ? guessedLoss(response, url, failure) : failure;
}

/** The error of calls that wait for a response when the connection is closed because of another message. */
function lossBy(cause: Error): TransportError {
  const message = `The connection was given up, because a message could not be delivered. ${cause.message}`;
  return new TransportError("CONNECTION_LOST", message, { cause });
}

function isCancellation(message: Outgoing): message is NotificationMessage {
  return "method" in message && message.method === "notifications/cancelled" && message.params !== undefined;
}

/** Makes a malformed request be answered by its id. Clients send no answer to other texts. */
function toMalformed(error: ProtocolViolation): MalformedMessage {
  if (error instanceof MalformedMessage && error.id !== undefined) return error;
  return new MalformedMessage(ErrorCode.ParseError, error.message, { mayAnswer: false, cause: error });
}

function unreachableError(): TransportError {
  return new TransportError("CONNECTION_LOST", "The server cannot be reached any more.");
}
