import {
  encodeMessage,
  ErrorCode,
  toErrorResponse,
  type Exchange,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  type RpcError,
} from "@toolwire/protocol";
import { encodeParts, type EncodedParts, type Pooled } from "@toolwire/protocol/internal";
import type { ServerReply } from "../../binding.ts";
import type { InsufficientScope, Unavailable } from "../../errors.ts";
import { retryLater } from "../admission/refusals.ts";
import { JSON_BODY, type DisconnectListener, type HeaderList } from "./adapter.ts";
import { protocolError, refuse, scopesMissing, sendRefusal } from "./errors.ts";
import { encodeMessageEvent, EVENT_STREAM, type MessageStream } from "./events.ts";
import type { HttpRequest } from "./request.ts";

/**
 * The state that every response to a POST has: it is in flight until it ends, it ends once, and its client may disconnect
 * before. How it is sent, and in which order, is up to the classes that extend it; this class calls nothing of theirs but
 * {@link cancel} and {@link clientLost}.
 */
export abstract class PostResponse<Stream extends MessageStream = MessageStream> implements Pooled, DisconnectListener {
  slot: number | undefined = undefined;
  readonly request: HttpRequest;
  /** How many JSON-RPC requests it answers. */
  readonly requestCount: number;
  /** The stream, once one was opened. */
  protected stream: Stream | undefined;
  #isOpen = true;
  #isConnected = true;

  constructor(request: HttpRequest, requestCount = 1) {
    this.request = request;
    this.requestCount = requestCount;
  }

  /** Whether the final message has yet to come. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the client is still connected. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /**
   * Stops the work and ends the response without a final message. If nothing was sent yet, the client gets the status;
   * without a status, see {@link sendEmpty}.
   */
  abstract cancel(reason: string, status?: number): void;

  /** Decides what becomes of the work when the client has disconnected. */
  protected abstract clientLost(): void;

  /** Counts as in flight from now on, and hears of the client's disconnection. */
  protected hold(): void {
    this.request.endpoint.hold(this);
    this.request.adapter.onDisconnect(this);
  }

  disconnected(): void {
    this.#isConnected = false;
    this.stream?.disconnected();
    this.clientLost();
  }

  /** Marks the response as ended. Returns false if it was before. */
  protected end(): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    this.request.endpoint.release(this);
    return true;
  }

  /** Sends a whole response. Its requests count until it has left this process. */
  protected sendWhole(status: number, headers: HeaderList, body: string | EncodedParts): void {
    if (!this.#isConnected) return;
    this.request.respond(status, headers, body);
    this.#countUntilSent();
  }

  /** Sends the last event. The requests count until it has left this process. */
  protected finishStream(stream: MessageStream, text: string): void {
    stream.finish(text);
    this.#countUntilSent();
  }

  /**
   * Completes the response without a final message. If nothing was sent yet, the client gets the status. Without one, it gets an
   * event stream without events: a request that its client has cancelled should get no response (2025-11-25, "Cancellation"),
   * but the response to a POST has to be JSON or an event stream ("Sending Messages to the Server").
   */
  protected sendEmpty(status: number | undefined): void {
    if (this.stream !== undefined) this.stream.finish();
    else if (this.#isConnected && status === undefined) this.request.respond(200, EVENT_STREAM, "");
    else if (this.#isConnected) this.request.respond(status as number);
  }

  #countUntilSent(): void {
    const { adapter, client, endpoint } = this.request;
    const { unsent } = adapter;
    if (unsent !== undefined) endpoint.limits.addUntil(client, this.requestCount, unsent);
  }
}

/** HTTP statuses of JSON-RPC errors, by code. Errors that are not listed get a 200. */
export type Statuses = ReadonlyMap<number, number>;

/** The errors that have a status of their own (2026-07-28, "Request Metadata"). */
export const MODERN_STATUSES: Statuses = new Map([
  [ErrorCode.MethodNotFound, 404],
  [ErrorCode.HeaderMismatch, 400],
  [ErrorCode.MissingRequiredClientCapability, 400],
  [ErrorCode.UnsupportedProtocolVersion, 400],
]);

/** The response to one request: a JSON body, or an event stream if a notification has to be sent before the end. */
export class HttpResponse extends PostResponse implements RequestReply {
  readonly #id: RequestId;
  readonly #mayStream: boolean;
  readonly #statuses: Statuses;
  #work: Exchange | undefined;

  constructor(request: HttpRequest, id: RequestId, mayStream: boolean, statuses: Statuses) {
    super(request);
    this.#id = id;
    this.#mayStream = mayStream;
    this.#statuses = statuses;
  }

  begin(work: Exchange): void {
    if (!this.isOpen) return;
    this.#work = work;
    this.hold();
  }

  replaceWork(work: Exchange): void {
    this.#work = work;
  }

  notify(message: NotificationMessage): void | Promise<void> {
    if (!this.isOpen) return;
    // Encodes first: a message that cannot be encoded must not open a stream.
    const text = encodeMessage(message);
    if (this.stream === undefined && this.#mayStream && this.isConnected) this.stream = this.request.openEventStream();
    return this.stream?.send(text);
  }

  respond(message: ResponseMessage): void {
    if (!this.isOpen) return;
    const { request, stream } = this;
    // The message is encoded before the response ends: if that throws, the server responds with another one.
    if (stream !== undefined) {
      const text = encodeMessage(message);
      this.end();
      return this.finishStream(stream, text);
    }
    const status = ("error" in message ? this.#statuses.get(message.error.code) : undefined) ?? 200;
    if (status === 200 && request.prefersEvents) {
      const text = encodeMessageEvent(encodeMessage(message));
      this.end();
      return this.sendWhole(200, EVENT_STREAM, text);
    }
    const body = encodeParts(message);
    this.end();
    this.sendWhole(status, JSON_BODY, body);
  }

  rejectRequest(error: RpcError): void {
    if (this.end()) sendRefusal(this.request, protocolError(error, this.#id));
  }

  demandScopes(error: InsufficientScope): void {
    if (this.stream !== undefined) return this.respond(toErrorResponse(this.#id, error));
    if (this.end()) sendRefusal(this.request, scopesMissing(this.request, error, this.#id));
  }

  refuseForNow(error: Unavailable): void {
    if (this.stream !== undefined) return this.respond(toErrorResponse(this.#id, error));
    if (this.end()) sendRefusal(this.request, retryLater(error.seconds, error.status, error.message, this.#id));
  }

  busyUntil(settled: Promise<void>): void {
    const { client, endpoint } = this.request;
    endpoint.limits.addUntil(client, 1, settled);
  }

  override cancel(reason: string, status?: number): void {
    if (!this.isOpen) return;
    this.#work?.cancel(reason);
    if (this.end()) this.sendEmpty(status);
  }

  /** Disconnecting is how modern clients cancel a request (2026-07-28, "Cancellation"). */
  protected override clientLost(): void {
    this.cancel("the client closed the connection");
  }
}

/** A response to one request, as {@link serveRequest} needs it. */
export interface RequestReply extends ServerReply {
  readonly request: HttpRequest;
  readonly isOpen: boolean;
  /** Waits for work that was not done at once. Does nothing if the response has ended. */
  begin(work: Exchange): void;
  /** Replaces the work that it waits for. */
  replaceWork(work: Exchange): void;
}

const NOT_STARTED: Exchange = { cancel() {} };

/**
 * Serves a request, if there is room for another one. A pipelined request takes its place among the requests in flight now,
 * but starts when its response can be sent: until then, the result would only wait in memory.
 */
export function serveRequest(message: RequestMessage, reply: RequestReply): void {
  const { request } = reply;
  const { adapter, endpoint } = request;
  const refusal = endpoint.limits.check(request.client, 1, message.id);
  if (refusal !== undefined) return refuse(request, refusal);
  if (!adapter.isPipelined) return reply.begin(endpoint.server.serve(message, reply, request));
  reply.begin(NOT_STARTED);
  adapter.onTurn(() => {
    if (reply.isOpen) reply.replaceWork(endpoint.server.serve(message, reply, request));
  });
}
