import {
  encodeMessage,
  toErrorResponse,
  type Exchange,
  type ExchangeSink,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  type RpcError,
} from "@toolwire/protocol";
import { encodeParts } from "@toolwire/protocol/internal";
import { JSON_BODY } from "../../bindings/http/adapter.ts";
import { protocolError, scopesMissing, sendRefusal } from "../../bindings/http/errors.ts";
import { EVENT_STREAM } from "../../bindings/http/events.ts";
import type { HttpRequest } from "../../bindings/http/request.ts";
import { retryLater } from "../../bindings/admission/refusals.ts";
import type { InsufficientScope, Unavailable } from "../../errors.ts";
import { PostResponse, type RequestReply } from "../../bindings/http/response.ts";
import { cancelledByClient } from "./errors.ts";
import type { HttpSession } from "./session.ts";
import { encodeWholeStream, type SessionStream } from "./session-stream.ts";
import type { SessionDirectory } from "./session-directory.ts";

/** Opens the stream that responds to a POST of a session. */
export function openResponseStream(session: HttpSession, request: HttpRequest): SessionStream {
  const stream = session.createPostStream();
  session.keepStream(stream);
  stream.attach(request.openEventStream());
  stream.prime();
  return stream;
}

/**
 * The response to a request of a session (2025-11-25, "Sending Messages to the Server"):
 *
 * 1. {@link begin}: the request is in flight, and the session knows its id.
 * 2. {@link notify} and {@link exchange} send messages ahead of the response. The first of them opens an event stream, which
 *    begins with an event id for a client that has to reconnect.
 * 3. {@link suspend} ends the connection of the stream, or it breaks ({@link clientLost}). The work goes on if the client can
 *    come back for the response. Meanwhile, messages are kept in the event store.
 * 4. {@link respond} ends the stream with the final message; without a stream, it sends a JSON body or a whole stream at once.
 *    {@link cancel} ends it without a final message.
 */
export class SessionResponse extends PostResponse<SessionStream> implements RequestReply {
  readonly id: RequestId;
  readonly #session: HttpSession;
  /** Set for `initialize` until it has succeeded: ends the session if it does not. */
  #unestablished: SessionDirectory | undefined;
  #work: Exchange | undefined;

  /** `unestablished` holds the session if this is the response to the `initialize` that opens it. */
  constructor(request: HttpRequest, id: RequestId, session: HttpSession, unestablished?: SessionDirectory) {
    super(request);
    this.id = id;
    this.#session = session;
    this.#unestablished = unestablished;
  }

  /** Whether the client is connected to this response. */
  override get isConnected(): boolean {
    return this.stream === undefined ? super.isConnected : this.stream.isConnected;
  }

  begin(work: Exchange): void {
    if (!this.isOpen) return;
    this.#work = work;
    this.hold();
    this.#session.addResponse(this.id, this);
  }

  replaceWork(work: Exchange): void {
    this.#work = work;
  }

  notify(message: NotificationMessage): void | Promise<void> {
    if (!this.isOpen) return;
    // Encodes first: a message that cannot be encoded must not open a stream.
    const text = encodeMessage(message);
    return this.#openStream()?.send(text);
  }

  exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    // A client that accepts no stream here may still have a standalone one.
    return this.#session.exchange(request, sink, this.isOpen ? this.#openStream() : undefined);
  }

  #openStream(): SessionStream | undefined {
    if (this.stream === undefined && this.request.mayStream && this.isConnected) {
      this.stream = openResponseStream(this.#session, this.request);
    }
    return this.stream;
  }

  /** Ends the connection; the client reconnects after this time. Does nothing for clients that would not reconnect. */
  suspend(retryDelay: number = this.#session.retryDelay): void {
    if (this.isOpen && this.#session.primesStreams) this.#openStream()?.suspend(retryDelay);
  }

  /**
   * A broken connection is not a cancellation in this era: the client may come back for the response. Without an event store,
   * or an event whose id it could come back with, it cannot; nor is there a session yet if this is its handshake.
   */
  protected override clientLost(): void {
    this.#session.lastSeen = performance.now();
    const canResume = this.stream !== undefined && this.#session.store !== undefined;
    if (!canResume || this.#unestablished !== undefined) this.cancel("the client closed the connection");
  }

  respond(message: ResponseMessage): void {
    if (!this.isOpen) return;
    const { request, stream } = this;
    const isEvent = stream !== undefined || request.prefersEvents;
    // Encoded before the response ends: if that throws, the server responds with another message.
    const body = isEvent ? encodeMessage(message) : encodeParts(message);
    if (this.#unestablished !== undefined && "result" in message) {
      this.#unestablished = undefined;
      request.addResponseFields(["Mcp-Session-Id", this.#session.id]);
    }
    this.#end();
    if (typeof body === "string" && stream !== undefined) this.finishStream(stream, body);
    else if (typeof body === "string" && isEvent) {
      this.sendWhole(200, EVENT_STREAM, encodeWholeStream(this.#session, body));
    } else this.sendWhole(200, JSON_BODY, body);
  }

  rejectRequest(error: RpcError): void {
    if (this.#end()) sendRefusal(this.request, protocolError(error, this.id));
  }

  demandScopes(error: InsufficientScope): void {
    if (this.stream !== undefined) return this.respond(toErrorResponse(this.id, error));
    if (this.#end()) sendRefusal(this.request, scopesMissing(this.request, error, this.id));
  }

  refuseForNow(error: Unavailable): void {
    if (this.stream !== undefined) return this.respond(toErrorResponse(this.id, error));
    if (this.#end()) sendRefusal(this.request, retryLater(error.seconds, error.status, error.message, this.id));
  }

  busyUntil(settled: Promise<void>): void {
    const { client, endpoint } = this.request;
    endpoint.limits.addUntil(client, 1, settled);
  }

  override cancel(reason: string, status?: number): void {
    if (!this.isOpen) return;
    // The work withdraws its questions to the client while there is a stream to do so on.
    this.#work?.cancel(reason);
    if (!this.#end()) return;
    if (status !== undefined || this.request.accepts.events) this.sendEmpty(status);
    // Clients that accept no event stream get an error in place of one without events.
    else this.sendWhole(200, JSON_BODY, encodeMessage(toErrorResponse(this.id, cancelledByClient())));
  }

  #end(): boolean {
    if (!this.end()) return false;
    this.#session.removeResponse(this.id);
    // A handshake that failed, or whose client is gone, leaves nothing behind.
    if (this.#unestablished !== undefined) void abandon(this.#unestablished, this.#session);
    return true;
  }
}

/** Ends a session of which its client has not heard. It would end by itself, so it does not matter if that fails. */
async function abandon(sessions: SessionDirectory, session: HttpSession): Promise<void> {
  try {
    await sessions.end(session);
  } catch {
    // Nobody knows its id.
  }
}
