import { ProtocolViolation } from "@toolwire/protocol";
import { createEventDecoder, type EventDecoder, type ServerSentEvent } from "@toolwire/protocol/framing";
import { TurnLimit } from "@toolwire/protocol/internal";
import { expectHeaders } from "../../check-options.ts";
import { type AuthFields, isAuthRefusal, refuseSecondCredentials, type RequestAuth } from "../client-auth.ts";
import type { HttpRequest, ReadHeader, ResponseSink, SentRequest } from "./backend.ts";
import type { HttpClient } from "./client.ts";
import { readError } from "./errors.ts";
import { type GivenHeaders, type HeadersNow, overlay, redirectTarget } from "./headers.ts";
import { MessageReader } from "./message-reader.ts";
import type { MessageSink } from "./message-sink.ts";
import { ResponseBody } from "./response-body.ts";

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/** How much of an error page is read, and how long it may take: its status says enough. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ERROR_MS = 2000;

/** How long the body of a redirect may take. Nothing of it is read, but its end makes the connection free again. */
const MAX_REDIRECT_MS = 50;

/** The content type of server-sent events. Media types are case-insensitive (RFC 9110, 8.3.1). */
const EVENT_STREAM = /^text\/event-stream(?![^\s;])/i;

/**
 * One HTTP request and its response: adds the headers of the application, follows redirects, and reads the response,
 * JSON or server-sent events, as messages within a size limit.
 */
export class HttpExchange implements ResponseSink {
  /** The status of the response; 0 until its head has arrived. */
  status = 0;
  /** Whether the response is a stream of events. */
  isStream = false;
  readonly #client: HttpClient;
  readonly #sink: MessageSink;
  #request: HttpRequest;
  #sent: SentRequest | undefined;
  #redirects = 0;
  /** The credentials of the request, if there are any. */
  readonly #auth: RequestAuth | undefined;
  /** The header fields as they were sent, with all credentials. */
  #headers: HeadersNow | undefined;
  /** Ends the wait for other credentials. */
  #authorizing: AbortController | undefined;
  /** Whether nothing more may reach the sink: the response has ended or failed, or the exchange was aborted. */
  #isOver = false;
  #header: ReadHeader | undefined;
  #events: EventDecoder | undefined;
  /** Limits the events of a stream that are handled in one turn. */
  #limit: TurnLimit<ServerSentEvent> | undefined;
  #body = new ResponseBody();
  /** Made with the first text that may be a message. */
  #reader: MessageReader | undefined;
  #cutoffTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: HttpClient, request: HttpRequest, sink: MessageSink) {
    this.#client = client;
    this.#request = request;
    this.#sink = sink;
    this.#auth = client.authorize();
  }

  /** Where the request was sent, after redirects. */
  get url(): URL {
    return this.#request.url;
  }

  /** Whether any part of the request may have left this machine. */
  get mayBeSent(): boolean {
    return this.#sent?.mayBeSent === true;
  }

  /** Reads a header field of the response. */
  header(name: string): string | undefined {
    return this.#header?.(name);
  }

  /** Sends the request. Called once. */
  start(): void {
    const { headers } = this.#client.options;
    if (typeof headers === "function") void this.#sendWithFresh(headers);
    else this.#prepare(headers);
  }

  /** Ends the exchange: nothing reaches the sink afterwards. */
  abort(): void {
    this.#finish();
    this.#authorizing?.abort();
    this.#sent?.abort();
  }

  // The backend calls these.

  head(status: number, header: ReadHeader): void {
    this.status = status;
    this.#header = header;
    this.#auth?.answered(status, header);
    if (!isSuccess(status)) {
      this.#cutoffTimer = setTimeout(() => this.#cutOff(), status < 400 ? MAX_REDIRECT_MS : MAX_ERROR_MS);
      return;
    }
    this.isStream = EVENT_STREAM.test(header("content-type") ?? "");
    this.#sink.head?.(this);
    if (this.isStream) this.#events = this.#createDecoder((this.#limit = this.#createLimit()));
    else if (Number(header("content-length")) > this.#maxBytes) this.#failTooLarge();
  }

  chunk(bytes: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#events !== undefined) {
      this.#events.push(bytes);
      this.#limit?.count(bytes.length);
      return;
    }
    this.#body.add(bytes);
    const { size } = this.#body;
    if (!isSuccess(this.status)) {
      if (size >= MAX_ERROR_BYTES) this.#cutOff();
    } else if (size > this.#maxBytes) this.#failTooLarge();
  }

  end(): void {
    if (this.#isOver) return;
    if (!isSuccess(this.status)) {
      this.#refuse();
      return;
    }
    if (this.#limit === undefined) this.#end(this.#decodeBody());
    else this.#limit.after(() => this.#end(""));
  }

  failed(error: Error): void {
    if (this.#limit === undefined) this.#break(error);
    else this.#limit.after(() => this.#break(error));
  }

  /** Puts dots in the place of the credentials of the request, in a text that the server has sent. */
  clear(text: string): string {
    return this.#client.secrets.clear(text, this.#headers);
  }

  #end(text: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (text !== "") this.#messages.read(text);
    this.#sink.end(text, this);
  }

  #break(error: Error): void {
    // The platform quotes what a server has sent.
    if (!this.#isOver) this.#fail(this.#client.secrets.clearError(error, this.#headers));
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#finish();
    this.#sink.failed(error, this);
  }

  async #sendWithFresh(headers: () => GivenHeaders | Promise<GivenHeaders>): Promise<void> {
    try {
      // Called later, so that a function that throws fails this request once its caller has the exchange.
      const now: unknown = await Promise.resolve().then(headers);
      this.#prepare(expectHeaders(now) as GivenHeaders | undefined);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Adds credentials. They are mostly there at once, and no promise is made then. */
  #prepare(own: GivenHeaders | undefined): void {
    if (this.#auth === undefined) {
      this.#sendWith(own, undefined);
      return;
    }
    try {
      const { url, method } = this.#request;
      const fields = this.#auth.fields(url, method);
      if (fields instanceof Promise) void this.#sendLater(own, fields);
      else this.#sendWith(own, fields);
    } catch (error) {
      // Later, once the caller has the exchange.
      queueMicrotask(() => this.#fail(error as Error));
    }
  }

  async #sendLater(own: GivenHeaders | undefined, fields: Promise<AuthFields>): Promise<void> {
    try {
      this.#sendWith(own, await fields);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #sendWith(own: GivenHeaders | undefined, credentials: AuthFields | undefined): void {
    if (this.#isOver) return;
    const request = this.#request;
    let { headers } = request;
    if (own !== undefined) headers = overlay(own, headers);
    if (credentials !== undefined) {
      refuseSecondCredentials(headers);
      headers = { ...headers, ...credentials };
    }
    this.#headers = this.#client.secrets.see(headers);
    this.#sent = this.#client.backend.send(headers === request.headers ? request : { ...request, headers }, this);
  }

  /** Stops reading a body that says nothing more of interest. */
  #cutOff(): void {
    if (!this.#refuse()) this.#sent?.abort();
  }

  /** Ends a response whose status is not one of success. Returns whether the request is sent again. */
  #refuse(): boolean {
    clearTimeout(this.#cutoffTimer);
    const { status } = this;
    const header = this.#header!;
    if (this.#followRedirect(status, header("location"))) return true;
    const text = this.#decodeBody();
    if (this.#auth !== undefined && isAuthRefusal(status) && !this.#isSessionLoss(text)) {
      void this.#authorizeAnew(this.#auth, status, header);
      return true;
    }
    this.#isOver = true;
    const error = readError(text);
    this.#sink.refused(
      {
        status,
        header: this.#clearHeader(header),
        text: this.clear(text),
        error: error && this.#client.secrets.clearMessage(error, this.#headers),
      },
      this,
    );
    return false;
  }

  #clearHeader(header: ReadHeader): ReadHeader {
    return (name) => {
      const value = header(name);
      return value === undefined ? undefined : this.clear(value);
    };
  }

  /** Sends the request again with other credentials. A server that refused it for its credentials has not executed it. */
  async #authorizeAnew(auth: RequestAuth, status: number, header: ReadHeader): Promise<void> {
    this.#sent?.abort();
    this.#authorizing = new AbortController();
    try {
      await auth.refused(status, this.#clearHeader(header), this.#authorizing.signal);
      if (!this.#isOver) this.#sendAgain(this.#request);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** Whether a server means the session, and not the credentials: some say 401 then, without a challenge. */
  #isSessionLoss(text: string): boolean {
    if (!("mcp-session-id" in this.#request.headers) || this.header("www-authenticate") !== undefined) return false;
    return /session not found/i.test(text);
  }

  #followRedirect(status: number, location: string | undefined): boolean {
    const { url } = this.#request;
    const target = redirectTarget(url, status, location, ++this.#redirects);
    if (target === undefined) return false;
    // 308 is permanent; 307 concerns this one request (RFC 9110, 15.4.8 and 15.4.9).
    if (status === 308 && url === this.#client.url) this.#client.url = target;
    this.#sent?.abort();
    this.#sendAgain({ ...this.#request, url: target });
    return true;
  }

  #sendAgain(request: HttpRequest): void {
    this.#request = request;
    this.status = 0;
    this.#body = new ResponseBody();
    this.start();
  }

  #createLimit(): TurnLimit<ServerSentEvent> {
    return new TurnLimit({
      deliver: (event) => this.#hear(event),
      pause: (next) => {
        if (this.#sent?.pause === undefined) return false;
        this.#sent.pause(next);
        return true;
      },
      resume: () => this.#sent?.resume?.(),
    });
  }

  #createDecoder(limit: TurnLimit<ServerSentEvent>): EventDecoder {
    return createEventDecoder(
      {
        event: (event) => limit.deliver(event),
        retry: (ms) => this.#sink.retry?.(ms),
        error: (error) => {
          limit.after(() => {
            if (error.code === "TOO_LARGE") this.#failTooLarge();
            else if (!this.#isOver) this.#messages.report(error, error.message);
          });
        },
      },
      { maxBytes: this.#maxBytes, decode: this.#client.backend.decode },
    );
  }

  #hear({ id, event, data }: ServerSentEvent): void {
    if (this.#isOver) return;
    if (id !== undefined) this.#sink.eventId?.(id);
    const isTaken = event !== undefined && this.#sink.event?.(event, data) === true;
    // An event without data only says where to resume.
    if (data !== "" && !isTaken) this.#messages.read(data);
  }

  #failTooLarge(): void {
    const message = `The server's answer is larger than ${this.#maxBytes} bytes. If it may be, raise \`maxMessageBytes\`.`;
    this.#failAndAbort(new ProtocolViolation("TOO_LARGE", message));
  }

  /** Fails, and closes the connection, so that the server stops sending what nobody reads. */
  #failAndAbort(error: Error): void {
    this.#fail(error);
    this.#sent?.abort();
  }

  #finish(): void {
    this.#isOver = true;
    clearTimeout(this.#cutoffTimer);
  }

  #decodeBody(): string {
    return this.#body.text(this.#client.backend.decode);
  }

  get #messages(): MessageReader {
    return (this.#reader ??= new MessageReader(
      { secrets: this.#client.secrets, headers: this.#headers },
      this.#sink,
      (error) => this.#failAndAbort(error),
    ));
  }

  get #maxBytes(): number {
    return this.#client.options.maxMessageBytes ?? DEFAULT_MAX_BYTES;
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
