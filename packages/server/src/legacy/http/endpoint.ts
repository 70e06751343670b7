import {
  eraOf,
  ErrorCode,
  type MalformedMessage,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "@toolwire/protocol";
import type { HttpCall } from "../../bindings/http/request.ts";
import type { HttpSession } from "./session.ts";
import { isObject } from "@toolwire/protocol/internal";
import { encodeComment } from "@toolwire/protocol/framing";
import { Answer, ModernAnswer, serveRequest } from "../../bindings/http/response.ts";
import type { HttpEndpoint } from "../../bindings/http/endpoint.ts";
import type { EventStream } from "../../bindings/http/events.ts";
import { Load } from "../../bindings/http/limits.ts";
import { refuse, ruledOut, wrongAccept, wrongMethod } from "../../bindings/http/errors.ts";
import { unsupportedRevision } from "../../errors.ts";
import { type ServerBinding, speaksRevision } from "../../binding.ts";
import { internal, tooMany, tooManyOfOne, type Refusal } from "../../bindings/admission/refusals.ts";
import { within } from "../../bindings/admission/with-timeout.ts";
import { acceptBatch, refuseBatch } from "./batch.ts";
import { createMemoryEventStore } from "./memory-event-store.ts";
import { duplicateId, noBatches, noStream } from "./errors.ts";
import { HandshakeAnswer, InitializeAnswer, SessionAnswer } from "./session-answer.ts";
import { readEventId, replay, type SessionStream } from "./session-stream.ts";
import { Sessions } from "./sessions.ts";
import { SsePair } from "./sse-pair.ts";

/** Takes a notification: what concerns open exchanges stays here, the rest is the server's. */
export function hearNotification(call: HttpCall, message: NotificationMessage, session: HttpSession | undefined): void {
  const params = message.params as { requestId?: RequestId; reason?: unknown; progressToken?: RequestId } | undefined;
  if (message.method === "notifications/cancelled") {
    const reason = typeof params?.reason === "string" ? params.reason : "the client cancelled it";
    if (params?.requestId !== undefined) session?.cancel(params.requestId, reason);
  } else if (message.method === "notifications/progress") {
    if (params?.progressToken !== undefined) session?.findAsked(params.progressToken)?.notification(message);
  } else call.endpoint.serving.hear(message, call);
}

/** Something has to be sent, or nobody on the way would pass on the headers. */
const STREAM_OPENED = encodeComment("open");

/**
 * What HTTP adds for clients of 2025-11-25 and earlier: sessions, the GET stream, DELETE, resumption, batches; and plain
 * requests, which come without a handshake and are answered all the same.
 */
export class LegacyEndpoint {
  /** The older transport, where it is wanted. */
  readonly ssePair: SsePair | undefined;
  readonly #serving: ServerBinding;
  readonly #sessions: Sessions | undefined;
  /**
   * GETs that have yet to get what was kept for them: they may wait for the store, or for their client to read. They have the
   * limits of requests, but do not count as such: they may be what the requests in flight wait for.
   */
  readonly #replaying = new Load();
  /** Whether the server has anything to say to the clients that this is for. */
  readonly #speaksLegacy: boolean;
  readonly #closeTimeout: number;
  /** When it has to be closed. */
  #closeBy = 0;
  #isClosed = false;

  constructor({ serving, settings }: HttpEndpoint) {
    this.#serving = serving;
    this.#closeTimeout = settings.closeTimeout;
    this.#speaksLegacy = serving.revisions.some((revision) => eraOf(revision) === "legacy");
    const { sessions, eventStore, retryDelay, legacySse } = settings;
    this.ssePair = legacySse && new SsePair(legacySse, settings);
    if (sessions === undefined) return;
    const store = eventStore === false ? undefined : (eventStore ?? createMemoryEventStore());
    const setting = { serving, store, retryDelay, maxStreams: sessions.maxStreams };
    this.#sessions = new Sessions(setting, sessions);
  }

  acceptRequest(call: HttpCall, request: RequestMessage): void {
    const { id, method } = request;
    const isHandshake = method === "initialize";
    // Refused by the rules of the modern era, naming the versions: older clients have nothing else to show to their users.
    if (isHandshake && !this.#speaksLegacy) return serveRequest(request, new ModernAnswer(call, id, method));
    if (!isHandshake && this.#lacksVersion(call)) return refuse(call, unversioned(id));
    const { json, events } = call.accepts;
    if (!json && !events) return refuse(call, wrongAccept(id));
    const session = this.#enter(call, id, isHandshake);
    if (session === null) return;
    if (session?.isAnswering(id)) return refuse(call, ruledOut(duplicateId(id), id));
    if (session !== undefined) serveRequest(request, new SessionAnswer(call, id, session));
    else if (isHandshake) this.#initialize(call, request);
    else serveRequest(request, new Answer(call, id));
  }

  acceptNotification(call: HttpCall, message: NotificationMessage): void {
    const session = this.#enter(call);
    if (session === null) return;
    hearNotification(call, message, session);
    call.send(202);
  }

  acceptResponse(call: HttpCall, message: ResponseMessage): void {
    const session = this.#enter(call);
    if (session === null) return;
    const violation = session?.settle(message);
    if (session === undefined || violation?.code === "UNKNOWN_RESPONSE") {
      return refuse(call, { status: 400, message: "Nothing was asked that this response could answer." });
    }
    // One that comes too late is nobody's fault.
    call.send(202);
  }

  /** Takes note of what was no message, and is refused. */
  hearMalformed(call: HttpCall, error: MalformedMessage): void {
    this.#sessions?.find(call.header("mcp-session-id") ?? "", call.principal?.id)?.hearMalformed(error);
  }

  acceptBatch(call: HttpCall, items: readonly unknown[]): void {
    const session = this.#enter(call);
    if (session === null) return;
    // Without a handshake or a header, the client speaks 2025-03-26 (2025-11-25, "Protocol Version Header").
    const revision =
      session === undefined ? (call.header("mcp-protocol-version") ?? "2025-03-26") : session.state.revision;
    if (revision !== "2025-03-26" || !speaksRevision(this.#serving, revision)) {
      return refuseBatch(call, items, session, noBatches());
    }
    acceptBatch(call, items, session);
  }

  /** Opens or resumes a stream of a session, or ends the session. Without one, there is nothing but POST. */
  acceptBodiless(call: HttpCall): void {
    const { method } = call.front;
    const isGet = method === "GET";
    const namesSession = this.#sessions !== undefined && call.header("mcp-session-id") !== undefined;
    if (!namesSession || !this.#speaksLegacy || !(isGet || method === "DELETE")) return refuse(call, wrongMethod(call));
    if (isGet && !call.accepts.events) return refuse(call, noStream());
    const session = this.#enter(call);
    if (!session) return;
    if (isGet) return void this.#openStream(call, session);
    this.#sessions?.end(session);
    // Not 204: there are proxies that make a body of every answer, which a 204 cannot have.
    call.send(200);
  }

  /** Ends the streams that would stay open for ever, before all else is closed. */
  endStreams(): void {
    this.#closeBy = performance.now() + this.#closeTimeout;
    this.#sessions?.endStreams();
  }

  /** Ends all sessions. Resolves when the event store has forgotten them, or the time to close is over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#sessions !== undefined) await within(this.#closeBy - performance.now(), this.#sessions.close(503));
  }

  /**
   * Whether what is in the works may need this call to finish, now that nothing new may begin. Clients are asked on
   * streams, and answer by POST; until its body is read, each may bring an answer. Who has lost the stream of an answer, or
   * was told to come back for it, does so by GET.
   */
  isAwaiting(call: HttpCall, brought: unknown): boolean {
    if (this.#isClosed) return false;
    const { method } = call.front;
    if (method === "GET") return call.header("last-event-id")?.startsWith("p") === true;
    const messages: readonly unknown[] = Array.isArray(brought) ? brought : [brought];
    return method === "POST" && !messages.some(isRequest);
  }

  #initialize(call: HttpCall, request: RequestMessage): void {
    if (this.#sessions === undefined) {
      call.state = this.#serving.openConnection({});
      return serveRequest(request, new HandshakeAnswer(call, request.id));
    }
    // Before there is a session, which only an answer ends.
    if (!call.endpoint.load.hasRoom(call, 1, request.id)) return;
    const session = this.#sessions.open(call.principal?.id, call.caller);
    if (session === "tooMany") return refuse(call, tooMany("sessions", 60, request.id));
    if (session === "tooManyOfOne") return refuse(call, tooManyOfOne("sessions", 60, request.id));
    join(call, session);
    serveRequest(request, new InitializeAnswer(call, request.id, session, this.#sessions));
  }

  async #openStream(call: HttpCall, session: HttpSession): Promise<void> {
    const { client } = call;
    if (!this.#replaying.hasRoom(call, 1)) return;
    this.#replaying.add(client, 1);
    let counted = 1;
    const release = (): void => {
      this.#replaying.add(client, -counted);
      counted = 0;
    };
    const lastEventId = session.store === undefined ? undefined : call.header("last-event-id");
    const place = lastEventId === undefined ? undefined : readEventId(lastEventId);
    const known = place === undefined ? undefined : session.findStream(place.stream);
    let connection: EventStream | undefined;
    const fail = (error: unknown): void => {
      readers.delete(fail);
      release();
      session.storeFailed(error);
      if (connection === undefined) refuse(call, internal("The kept events cannot be read now."));
      else connection.end();
    };
    // Who is not among them any more has gone, or was told that it failed.
    const readers = (session.readers ??= new Set());
    readers.add(fail);
    const leave = (): void => {
      readers.delete(fail);
      release();
    };
    call.front.onGone(leave);
    try {
      if (place !== undefined && known !== undefined) {
        connection = connect(call, session, leave, known);
        await known.resume(connection, place.sequence);
      } else if (lastEventId === undefined || place?.stream.startsWith("g")) {
        const stream = session.openStandaloneStream();
        const opened = (connection = connect(call, session, leave, stream));
        // It makes no difference which stream carries what belongs to no request, as long as nothing is left out.
        if (place === undefined) stream.attach(opened);
        else await stream.resume(opened, 0, () => replay(session, place.stream, place.sequence, opened));
        // Tells the client where it is, so that it can come back.
        stream.prime();
        stream.flush();
      } else if (place === undefined || (await session.eventsAfter(place.stream, place.sequence)).length === 0) {
        const message = "There is nothing to resume: no event is kept after this Last-Event-ID.";
        refuse(call, { status: 400, message });
      } else if (readers.has(fail)) {
        connection = connect(call, session, leave);
        await replay(session, place.stream, place.sequence, connection);
        connection.end();
      }
    } catch (error) {
      fail(error);
    } finally {
      leave();
    }
  }

  /**
   * Whether a request has to say its version and does not. Clients before 2025-06-18 never do, so whoever serves them
   * has to do without; all others must not (2026-07-28, "Protocol Version Header").
   */
  #lacksVersion(call: HttpCall): boolean {
    const { revisions } = this.#serving;
    const servesOlder = revisions.some((revision) => revision < "2025-06-18");
    if (servesOlder || !revisions.some((revision) => eraOf(revision) === "modern")) return false;
    const knowsSession = this.#speaksLegacy && call.header("mcp-session-id") !== undefined;
    return call.header("mcp-protocol-version") === undefined && !knowsSession;
  }

  /**
   * The session that a request names; `null` if it was refused, because there is no such session or because of the version
   * in its `MCP-Protocol-Version` header. Both may be absent. A handshake is there to find a version, by its body: the
   * header belongs to what comes after it, and some clients send it all the same.
   */
  #enter(call: HttpCall, id?: RequestId, isHandshake = false): HttpSession | undefined | null {
    const version = call.header("mcp-protocol-version");
    if (version !== undefined && !isHandshake) {
      if (!speaksRevision(this.#serving, version)) {
        refuse(call, ruledOut(unsupportedRevision(version, this.#serving.revisions, ""), id));
        return null;
      }
    }
    const name = call.header("mcp-session-id");
    if (name === undefined || this.#sessions === undefined) return undefined;
    const session = this.#sessions.find(name, call.principal?.id);
    if (session === undefined) {
      const message = "No such session, or it has ended. Open one with `initialize`, without `Mcp-Session-Id`.";
      // Without the id of the request: nothing was looked into, so the client may send it again in a new session.
      refuse(call, { status: 404, message });
      return null;
    }
    join(call, session);
    return session;
  }
}

/** Whether this asks for something, well or badly. */
function isRequest(message: unknown): boolean {
  return isObject(message) && "method" in message && "id" in message;
}

function unversioned(id: RequestId): Refusal {
  const message = "Header mismatch: MCP-Protocol-Version is missing; it must name the version of the request.";
  return { status: 400, code: ErrorCode.HeaderMismatch, message, id };
}

/** From here on the request counts as part of the session. */
function join(call: HttpCall, session: HttpSession): void {
  call.state = session.state;
  call.connection = session;
}

/** Opens a connection for a stream of a session, or for what is left of one. */
function connect(call: HttpCall, session: HttpSession, leave: () => void, stream?: SessionStream): EventStream {
  const connection = call.openEvents();
  // Only the latest listener hears of it.
  call.front.onGone(() => {
    leave();
    session.lastSeen = performance.now();
    connection.lost();
    stream?.detach(connection);
  });
  void connection.write(STREAM_OPENED);
  return connection;
}
