import { areHeaders, invalidArgument } from "../../check-options.ts";
import { AnswerReader, type AnswerSink, type AnswerSource, type Decode } from "./response.ts";
import { type GivenHeaders, overlay, redirectTarget } from "./headers.ts";
import type { HttpTransportOptions } from "./transport.ts";
import type { HttpExchange, HttpPort, HttpRequest } from "./backend.ts";

/** What a sender runs on; the entry points choose. */
export interface HttpEngine {
  readonly port: HttpPort;
  readonly decode?: Decode | undefined;
}

/** Sends requests to one URL: with the header fields of the application, and on to where the server redirects them. */
export class Sender {
  /** Where requests go; a permanent redirect changes it. */
  url: URL;
  readonly options: HttpTransportOptions;
  readonly engine: HttpEngine;

  constructor(url: URL, options: HttpTransportOptions, engine: HttpEngine) {
    this.url = url;
    this.options = options;
    this.engine = engine;
  }

  send(
    method: HttpRequest["method"],
    headers: Record<string, string>,
    body: string | undefined,
    unqueued: boolean,
    sink: AnswerSink,
  ): SentRequest {
    return new SentRequest(this, { url: this.url, method, headers, body, unqueued }, sink);
  }
}

/** A request on its way, over as many redirects as it takes. */
export class SentRequest implements HttpExchange, AnswerSource {
  readonly #sender: Sender;
  readonly #sink: AnswerSink;
  #request: HttpRequest;
  #reader: AnswerReader | undefined;
  #http: HttpExchange | undefined;
  #redirects = 0;
  #aborted = false;

  constructor(sender: Sender, request: HttpRequest, sink: AnswerSink) {
    this.#sender = sender;
    this.#request = request;
    this.#sink = sink;
    this.#send();
  }

  /** Where it has gone. */
  get url(): URL {
    return this.#request.url;
  }

  get allowsBatch(): boolean {
    return this.#request.headers["mcp-protocol-version"] === "2025-03-26";
  }

  get mayBeSent(): boolean {
    return this.#http?.mayBeSent === true;
  }

  abort(): void {
    this.#aborted = true;
    this.#reader?.leave();
    this.#http?.abort();
  }

  redirected(status: number, location: string | undefined): boolean {
    const { url } = this.#request;
    const target = redirectTarget(url, status, location, ++this.#redirects);
    if (target === undefined) return false;
    // 308 says for good; 307 only where this one request goes (RFC 9110, 15.4.8 and 15.4.9).
    if (status === 308 && url === this.#sender.url) this.#sender.url = target;
    this.#request = { ...this.#request, url: target };
    // Whatever else the redirect has to say is of no use.
    this.#http?.abort();
    this.#send();
    return true;
  }

  #send(): void {
    const { options, engine } = this.#sender;
    const reader = (this.#reader = new AnswerReader(this.#sink, this, options.maxMessageBytes, engine.decode));
    const { headers } = options;
    if (typeof headers !== "function") this.#sendWith(headers, reader);
    else {
      Promise.resolve()
        .then(headers)
        .then((now) => {
          if (!areHeaders(now)) {
            throw invalidArgument("headers", "must be an object, or a function that returns one", now);
          }
          this.#sendWith(now, reader);
        })
        // Anything can be thrown; whoever is told relies on an error.
        .catch((error: unknown) => reader.failed(error instanceof Error ? error : new Error(String(error))));
    }
  }

  #sendWith(own: GivenHeaders | undefined, reader: AnswerReader): void {
    if (this.#aborted) return;
    const request = this.#request;
    const whole = own === undefined ? request : { ...request, headers: overlay(own, request.headers) };
    this.#http = this.#sender.engine.port.send(whole, reader);
  }
}
