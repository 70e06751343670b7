import {
  encodeMessage,
  toErrorResponse,
  type Exchange,
  type ExchangeSink,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "@toolwire/protocol";
import { Answer } from "../../bindings/http/response.ts";
import type { HttpCall } from "../../bindings/http/request.ts";
import { cancelledByClient } from "./errors.ts";
import type { HttpSession } from "./session.ts";
import type { SessionStream } from "./session-stream.ts";
import type { Sessions } from "./sessions.ts";

/** Opens the stream of a session that answers a POST. */
export function openAnswerStream(session: HttpSession, call: HttpCall): SessionStream {
  const stream = session.createPostStream();
  session.keepStream(stream);
  stream.attach(call.openEvents());
  stream.prime();
  return stream;
}

/** The text of such a stream, if it has nothing on it but the answer. */
export function encodeLoneAnswer(session: HttpSession, text: string): string {
  const stream = session.createPostStream();
  stream.prime();
  return stream.encodeLone(text);
}

/** The answer to a request of a session: it may ask back, and outlive its connection. */
export class SessionAnswer extends Answer {
  protected readonly session: HttpSession;
  #stream: SessionStream | undefined;

  constructor(call: HttpCall, id: RequestId, session: HttpSession) {
    super(call, id);
    this.session = session;
  }

  /** Whether the client is connected to this very answer. */
  override get isConnected(): boolean {
    return this.#stream === undefined ? super.isConnected : this.#stream.isConnected;
  }

  override begin(work: Exchange): void {
    super.begin(work);
    if (this.isOpen) this.session.addAnswer(this.id, this);
  }

  exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    // A client that takes no stream here may still have a standalone one.
    return this.session.exchange(request, sink, this.isOpen ? this.stream : undefined);
  }

  /**
   * Ends the connection while the work goes on; the client comes back for the rest after this time. Does nothing for
   * clients that would not come back.
   */
  suspend(retryDelay: number = this.session.retryDelay): void {
    if (this.isOpen && this.session.primesStreams && this.stream !== undefined) this.#stream?.suspend(retryDelay);
  }

  protected override openStream(): SessionStream {
    return (this.#stream = openAnswerStream(this.session, this.call));
  }

  protected override loneEvent(text: string): string {
    return encodeLoneAnswer(this.session, text);
  }

  /**
   * A broken connection is no cancellation in this era (2025-11-25, "Sending Messages to the Server"): the client may
   * come back for the answer. Without an event store, or an event whose id it could come back with, it has no way to; and
   * work for nobody would take the room of others.
   */
  protected override lost(): void {
    this.session.lastSeen = performance.now();
    if (this.session.store === undefined || !this.isStreaming) super.lost();
  }

  protected override ended(): void {
    this.session.removeAnswer(this.id);
  }

  /** Clients that take no event stream get an error in place of one without events. */
  protected override abandon(status: number | undefined): void {
    if (status !== undefined || this.call.accepts.events) super.abandon(status);
    else this.conclude(200, encodeMessage(toErrorResponse(this.id, cancelledByClient())));
  }
}

/** The answer to `initialize`: a session begins if it succeeds. */
export class InitializeAnswer extends SessionAnswer {
  readonly #sessions: Sessions;
  #hasSucceeded = false;

  constructor(call: HttpCall, id: RequestId, session: HttpSession, sessions: Sessions) {
    super(call, id, session);
    this.#sessions = sessions;
  }

  override respond(message: ResponseMessage): void {
    if (!this.isOpen) return;
    if ("result" in message) {
      this.#hasSucceeded = true;
      this.call.addFields(["Mcp-Session-Id", this.session.id]);
    }
    super.respond(message);
  }

  /** A handshake that failed, or that nobody waits for, leaves nothing behind. */
  protected override ended(): void {
    super.ended();
    if (!this.#hasSucceeded) this.#sessions.end(this.session);
  }

  protected override lost(): void {
    this.cancel("the client closed the connection");
  }
}

/** The answer to `initialize` where there are no sessions: the state of the handshake ends with it. */
export class HandshakeAnswer extends Answer {
  protected override ended(): void {
    this.call.state?.close();
  }
}
