import {
  encodeMessage,
  parseMessage,
  ProtocolViolation,
  TransportError,
  type Channel,
  type ChannelReceiver,
  type MalformedMessage,
  type Outgoing,
} from "@toolwire/protocol";
import { createEventDecoder } from "@toolwire/protocol/framing";
import { AnswerReader, isEventStream, type Decode } from "../answer-reader.ts";
import { Deliveries } from "../deliveries.ts";
import { placeOf, toFailure } from "../failure.ts";
import { createFetchPort } from "../fetch-port.ts";
import { readHeaders, type HeadersNow } from "../given-headers.ts";
import type { HttpExchange, HttpPort, HttpSink } from "../port.ts";
import { HttpStatusError } from "../status-error.ts";
import type { HttpTransportEngine, HttpTransportOptions } from "../transport.ts";

/** How many requests may be on their way at once: as many connections as that take. */
const MAX_REQUESTS = 64;

/** How long closing waits for messages on their way to be acknowledged. */
const GOODBYE_MS = 1000;

/**
 * Makes a channel to a server of revision 2024-11-05: one stream of events for everything it says, and an address,
 * named by the first event, to POST everything to.
 */
export function createSsePairChannel(
  url: string | URL,
  options: HttpTransportOptions = {},
  engine: HttpTransportEngine = { port: createFetchPort(options.fetch) },
): Channel {
  return new SsePair(new URL(url), options, engine);
}

class SsePair implements Channel {
  readonly #url: URL;
  readonly #port: HttpPort;
  readonly #decode: Decode | undefined;
  readonly #options: HttpTransportOptions;
  readonly #maxBytes: number;
  #receiver: ChannelReceiver | undefined;
  #endpoint: URL | undefined;
  #stream: HttpExchange | undefined;
  #closed = false;
  /**
   * Messages are POSTed as they come, without waiting for the one before: some servers acknowledge a request only when
   * they have answered it. Where order matters, in the handshake, each message is sent in answer to the last. Requests
   * have time limits of their own, so there is none here.
   */
  readonly #posts = new Deliveries(Infinity);
  readonly #sending = new Set<Promise<void>>();
  /** Requests on their way, each over a connection of its own, and those that wait until there are fewer. */
  #requests = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(url: URL, options: HttpTransportOptions, engine: HttpTransportEngine) {
    this.#url = url;
    this.#options = options;
    this.#port = engine.port;
    this.#decode = engine.decode;
    this.#maxBytes = options.maxMessageBytes ?? 16 * 1024 * 1024;
  }

  async open(receiver: ChannelReceiver): Promise<void> {
    this.#receiver = receiver;
    const headers = { ...(await this.#ownHeaders()), accept: "text/event-stream" };
    if (this.#closed) throw new TransportError("CLOSED", "The connection was closed before it was open.");
    await new Promise<void>((resolve, reject) => {
      const sink = this.#streamSink(resolve, reject);
      this.#stream = this.#port.send({ url: this.#url, method: "GET", headers, unqueued: true }, sink);
    });
  }

  send(message: Outgoing): Promise<void> {
    if (this.#closed) throw closedError();
    const body = encodeMessage(message);
    const post = (): Promise<void> =>
      this.#posts.start((acknowledged, failed) => this.#post(body, acknowledged, failed));
    // What the server waits for waits for nobody: it may be what ends the requests that are on their way.
    const isRequest = "method" in message && "id" in message;
    const sent = isRequest ? this.#inTurn(post) : post();
    this.#sending.add(sent);
    sent
      .catch((error: unknown) => {
        // A request that is refused for what it is has nothing to do with the others.
        const isItsOwn = isRequest && error instanceof HttpStatusError && error.status < 500;
        if (!isItsOwn) this.#end(error as Error);
      })
      .finally(() => this.#sending.delete(sent));
    return sent;
  }

  async #inTurn(post: () => Promise<void>): Promise<void> {
    if (this.#requests >= MAX_REQUESTS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#requests += 1;
    try {
      if (this.#closed) throw closedError();
      await post();
    } finally {
      // The place is handed on, or free.
      const next = this.#waiting.shift();
      if (next === undefined) this.#requests -= 1;
      else next();
    }
  }

  async close(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GOODBYE_MS);
    });
    await Promise.race([Promise.allSettled(this.#sending), patience]);
    clearTimeout(timer);
    this.#end(undefined);
    await this.#port.close();
  }

  #streamSink(opened: () => void, refused: (error: Error) => void): HttpSink {
    const fail = (error: Error): void => {
      refused(error);
      this.#end(error);
    };
    const decoder = createEventDecoder(
      {
        event: ({ event, data }) => {
          if (event === "endpoint") this.#learnEndpoint(data, opened, fail);
          else if (data !== "") this.#read(data);
        },
        retry() {},
        error: (error) => {
          if (error.code === "TOO_LARGE") fail(error);
        },
      },
      { maxBytes: this.#maxBytes, ...(this.#decode !== undefined && { decode: this.#decode }) },
    );
    return {
      head: (status, header) => {
        if (status === 200 && isEventStream(header("content-type"))) return;
        this.#stream?.abort();
        fail(
          status === 200
            ? new HttpStatusError(status, `${placeOf(this.#url)} is no stream of events.`)
            : toFailure(status, this.#url, "", false, header("location")),
        );
      },
      chunk: (bytes) => decoder.push(bytes),
      end: () => fail(new TransportError("CONNECTION_LOST", `${this.#url.origin} ended its stream of events.`)),
      failed: fail,
    };
  }

  /** The address comes from the server, so it must not lead credentials and messages to anybody else. */
  #learnEndpoint(data: string, opened: () => void, fail: (error: Error) => void): void {
    const endpoint = URL.canParse(data, this.#url) ? new URL(data, this.#url) : undefined;
    if (endpoint?.origin === this.#url.origin) {
      this.#endpoint = endpoint;
      opened();
      return;
    }
    this.#stream?.abort();
    const message = `${this.#url.origin} wants messages sent to another origin: ${data.slice(0, 200)}`;
    fail(new ProtocolViolation("INVALID_MESSAGE", message));
  }

  #read(data: string): void {
    try {
      this.#receiver!.message(parseMessage(data));
    } catch (error) {
      this.#receiver!.malformed(error as MalformedMessage);
    }
  }

  #post(body: string, acknowledged: () => void, failed: (error: Error) => void): HttpExchange {
    const url = this.#endpoint;
    if (url === undefined) throw new TransportError("CLOSED", "The connection is not open.");
    const reader = new AnswerReader(
      {
        message() {},
        violation() {},
        status: (status, header, text) => failed(toFailure(status, url, text, false, header("location"))),
        end: () => acknowledged(),
        failed,
      },
      this.#maxBytes,
      this.#decode,
    );
    let aborted = false;
    this.#ownHeaders().then((own) => {
      const headers = { ...own, "content-type": "application/json" };
      if (!aborted) reader.source = this.#port.send({ url, method: "POST", headers, body, unqueued: true }, reader);
    }, failed);
    return {
      abort() {
        aborted = true;
        reader.source?.abort();
      },
    };
  }

  async #ownHeaders(): Promise<HeadersNow> {
    const { headers } = this.#options;
    return readHeaders((typeof headers === "function" ? await headers() : headers) ?? {});
  }

  #end(reason: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stream?.abort();
    this.#posts.end(reason ?? closedError());
    this.#receiver?.closed(reason);
  }
}

function closedError(): TransportError {
  return new TransportError("CLOSED", "The connection is closed; nothing more can be sent.");
}
