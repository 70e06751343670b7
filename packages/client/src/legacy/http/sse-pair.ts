import {
  encodeMessage,
  ErrorCode,
  MalformedMessage,
  ProtocolViolation,
  TransportError,
  type Channel,
  type ChannelReceiver,
  type Message,
  type NotificationMessage,
  type Outgoing,
  type RequestId,
  type RequestMessage,
} from "@toolwire/protocol";
import { UnsentError } from "@toolwire/protocol/internal";
import { checkGiven } from "../../check-options.ts";
import { readServerUrl } from "../../server-url.ts";
import { inTime } from "../../waiting.ts";
import type { AnswerSink } from "../../transports/http/response.ts";
import { Deliveries } from "../../transports/http/post-message.ts";
import { HttpStatusError, placeOf, toFailure } from "../../transports/http/errors.ts";
import { createFetchPort } from "../../transports/http/fetch-backend.ts";
import type { HttpTransportOptions } from "../../transports/http/transport.ts";
import type { HttpExchange } from "../../transports/http/backend.ts";
import { readAddress } from "../../transports/http/headers.ts";
import { Sender, type HttpEngine } from "../../transports/http/request.ts";
import {
  CANCELLATION_MS,
  explainPostRefusal,
  Lane,
  lossBy,
  MAX_CANCELLATIONS,
  MAX_REPLIES,
  MAX_WAITING_REPLIES,
  stateAfter,
} from "./session.ts";

/** How many requests may be on their way at once: as many connections as that take. */
const MAX_REQUESTS = 64;

/** How long a request may go without acknowledgement once it is answered. Some servers acknowledge none at all. */
const ACKNOWLEDGEMENT_MS = 100;

/** How long closing waits for messages on their way to be acknowledged. */
const GOODBYE_MS = 1000;

/** How long answers may still come on the stream of a server that cannot be reached any more. */
const ENDING_MS = 1000;

/**
 * Makes a channel to a server of revision 2024-11-05, over its HTTP+SSE pair: an event stream for everything that the
 * server sends, and an address, named by the first event, to POST everything to.
 */
export function createSsePairChannel(
  url: string | URL,
  options: HttpTransportOptions = {},
  engine: HttpEngine = { port: createFetchPort(options.fetch) },
): Channel {
  return new SsePair(readServerUrl(url, ["http:", "https:"]), options, engine);
}

class SsePair implements Channel {
  readonly #options: HttpTransportOptions;
  readonly #engine: HttpEngine;
  /** Where the stream is, and, once it has said so, where messages are posted. */
  readonly #source: Sender;
  #target: Sender | undefined;
  #receiver: ChannelReceiver | undefined;
  #stream: HttpExchange | undefined;
  #refused: ((error: Error) => void) | undefined;
  #closed = false;
  /** Resolves when whoever receives messages knows that there will be no more. */
  #ended: Promise<void> | undefined;
  /** What gives the connection up, once the server cannot be reached any more. */
  #ending: ReturnType<typeof setTimeout> | undefined;
  /**
   * Messages are POSTed as they come, without waiting for the one before: some servers acknowledge a request only when
   * they have answered it. Where order matters, in the handshake, each message is sent in answer to the last. Requests
   * have time limits of their own, and are let go when they are answered or cancelled, so there is none here.
   */
  readonly #posts = new Deliveries(Infinity);
  readonly #sending = new Set<Promise<void>>();
  /** Each request on its way has a connection of its own, so there must not be too many. */
  readonly #requests = new Lane<RequestId>(MAX_REQUESTS);
  /** What lets go of each of them. */
  readonly #unacknowledged = new Map<RequestId, () => void>();
  readonly #cancellations = new Lane<NotificationMessage>(MAX_CANCELLATIONS);
  readonly #replies = new Lane<object>(MAX_REPLIES);

  constructor(url: URL, options: HttpTransportOptions, engine: HttpEngine) {
    this.#options = options;
    this.#engine = engine;
    this.#source = new Sender(url, options, engine);
  }

  /** Rejects if it was made with options that are none, as the transport of Streamable HTTP does. */
  async open(receiver: ChannelReceiver): Promise<void> {
    this.#receiver = receiver;
    await checkGiven(this.#options);
    if (this.#closed) throw closedError();
    return new Promise<void>((resolve, reject) => {
      this.#refused = reject;
      this.#listen(receiver, resolve);
    });
  }

  send(message: Outgoing): Promise<void> {
    if (this.#closed) throw closedError();
    const body = encodeMessage(message);
    const post = (timeout?: number): Promise<void> =>
      this.#posts.start((acknowledged, failed) => this.#post(message, body, acknowledged, failed), timeout);
    const isRequest = "method" in message && "id" in message;
    if (!isRequest && isCancellation(message)) return this.#cancel(message, post);
    if (isRequest && this.#ending !== undefined) throw unreachableError();
    // What the server waits for waits for no request: it may be what ends those that are on their way.
    const delivery = isRequest
      ? this.#requests.run(message.id, () => this.#postRequest(message, body))
      : this.#replies.run(message, post, "method" in message ? Infinity : MAX_WAITING_REPLIES);
    return this.#track(
      delivery.catch((error: unknown) => {
        this.#drawConclusions(error as Error, !("method" in message));
        throw error;
      }),
    );
  }

  /** What the failure of one message means to the connection. */
  #drawConclusions(error: Error, isReply: boolean): void {
    if (this.#closed) return;
    // That it was not sent is true of this message alone.
    const cause = error instanceof UnsentError ? (error.cause as Error) : error;
    const state = stateAfter(error);
    if (state === "unreachable") {
      this.#ending ??= setTimeout(() => this.#end(lossBy(cause)), ENDING_MS);
      this.#receiver?.outputEnded?.();
    } else if (state === "gone") {
      // Calls that come now, and the one that has found out, wait for the next connection.
      this.#receiver?.outputEnded?.();
      this.#end(lossBy(cause));
    } else if (isReply) {
      // The server may wait for it for ever, and so would the call that it was asked for.
      this.#end((error as Partial<TransportError>).code === "OVERLOADED" ? error : lossBy(cause));
    }
  }

  /** A request that still waits for its turn is not sent at all. Nobody waits for a cancellation, so none is missed. */
  #cancel(message: NotificationMessage, post: (timeout: number) => Promise<void>): Promise<void> {
    const { requestId } = message.params as { readonly requestId: RequestId };
    if (this.#requests.drop(requestId)) return Promise.resolve();
    this.#unacknowledged.get(requestId)?.();
    return this.#track(this.#cancellations.run(message, () => post(CANCELLATION_MS)).catch(() => {}));
  }

  /** Rejects with an `UnsentError` if the connection ends before any of the request is sent. */
  #postRequest(message: RequestMessage, body: string): Promise<void> {
    const { id } = message;
    if (this.#closed || this.#ending !== undefined) throw new UnsentError(unreachableError());
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
        const isUnsent = error.code === "CONNECT_FAILED" || (this.#closed && http?.mayBeSent !== true);
        throw isUnsent ? new UnsentError(error) : error;
      })
      .finally(() => this.#unacknowledged.delete(id));
  }

  /** Takes note of a response: its request need not be acknowledged any more. */
  #hear(item: Message | MalformedMessage): void {
    const letGo = "method" in item ? undefined : this.#unacknowledged.get(item.id!);
    if (letGo !== undefined) setTimeout(letGo, ACKNOWLEDGEMENT_MS);
  }

  #track(sent: Promise<void>): Promise<void> {
    this.#sending.add(sent);
    const forget = (): void => void this.#sending.delete(sent);
    sent.then(forget, forget);
    return sent;
  }

  async close(): Promise<void> {
    await inTime(GOODBYE_MS, "", [], () => Promise.allSettled(this.#sending)).catch(() => {});
    this.#end(undefined);
    await this.#ended;
    await this.#engine.port.close();
  }

  /** Opens the stream; what it says about the address decides whether that is of any use. */
  #listen(receiver: ChannelReceiver, opened: () => void): void {
    const fail = (error: Error): void => this.#end(error);
    const stream = this.#source.send("GET", { accept: "text/event-stream" }, undefined, true, {
      head: (status, _, streams) => {
        if (!streams) fail(new HttpStatusError(status, `${placeOf(stream.url)} is no stream of events.`));
      },
      event: (kind, data) => {
        if (kind !== "endpoint") return false;
        const problem = this.#learnEndpoint(data, stream.url);
        if (problem === undefined) opened();
        else fail(problem);
        return true;
      },
      message: (message) => {
        this.#hear(message);
        receiver.message(message);
      },
      // The agreement is made over the stream itself, and nothing in its headers tells of it.
      batch: (items) => {
        for (const item of items) this.#hear(item);
        receiver.batch(items);
      },
      violation: (error) => receiver.malformed(toComplaint(error)),
      refused: (refusal) => fail(toFailure(refusal, stream.url)),
      end: () => fail(new TransportError("CONNECTION_LOST", `${stream.url.origin} ended its stream of events.`)),
      failed: fail,
    } satisfies AnswerSink);
    this.#stream = stream;
  }

  /** The address comes from the server, so it must not lead credentials and messages to anybody else. */
  #learnEndpoint(data: string, from: URL): ProtocolViolation | undefined {
    const endpoint = readAddress(data, from);
    if (endpoint === undefined) {
      const place = URL.canParse(data, from) ? placeOf(new URL(data, from)) : JSON.stringify(data.slice(0, 200));
      const message = `${from.origin} wants messages sent to another origin, or with credentials of its own: ${place}`;
      return new ProtocolViolation("INVALID_MESSAGE", message);
    }
    this.#target = new Sender(endpoint, this.#options, this.#engine);
    return undefined;
  }

  #post(message: Outgoing, body: string, acknowledged: () => void, failed: (error: Error) => void): HttpExchange {
    if (this.#closed || this.#target === undefined) throw closedError();
    const sent = this.#target.send("POST", { "content-type": "application/json" }, body, true, {
      message() {},
      violation() {},
      refused: (refusal) => failed(explainPostRefusal(refusal, sent.url, message)),
      end: () => acknowledged(),
      failed,
    });
    return sent;
  }

  #end(reason: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#ending);
    this.#refused?.(reason ?? closedError());
    this.#stream?.abort();
    this.#posts.end(reason ?? closedError());
    // What was not sent is told so first, and can be sent over the next connection.
    this.#ended = Promise.allSettled(this.#sending).then(() => this.#receiver?.closed(reason));
  }
}

function isCancellation(message: Outgoing): message is NotificationMessage {
  return "method" in message && message.method === "notifications/cancelled" && message.params !== undefined;
}

/** A request that can be answered by its id is answered; clients send no answer to what is just noise. */
function toComplaint(error: ProtocolViolation): MalformedMessage {
  if (error instanceof MalformedMessage && error.id !== undefined) return error;
  return new MalformedMessage(ErrorCode.ParseError, error.message, { mayAnswer: false, cause: error });
}

function unreachableError(): TransportError {
  return new TransportError("CONNECTION_LOST", "The server cannot be reached any more.");
}

function closedError(): TransportError {
  return new TransportError("CLOSED", "The connection is closed.");
}
