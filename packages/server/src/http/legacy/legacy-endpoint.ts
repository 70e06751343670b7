import {
  ErrorCode,
  eraOf,
  RpcError,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "@toolwire/protocol";
import { encodeComment } from "@toolwire/protocol/framing";
import { Answer, serveRequest } from "../answer.ts";
import type { HttpCall } from "../call.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import type { EventStream } from "../event-stream.ts";
import { internal, refuse, ruledOut, wrongAccept, wrongMethod, wrongVersion, type Refusal } from "../refusals.ts";
import { bringLegacyEra } from "../../legacy/era.ts";
import { negotiate } from "../../legacy/negotiate.ts";
import { legacyEra } from "../../legacy/serve-legacy.ts";
import type { Serving } from "../../serving/contract.ts";
import { speaks } from "../../serving/speaks.ts";
import { acceptBatch } from "./batch.ts";
import { createMemoryEventStore } from "./event-store.ts";
import { hearNotification } from "./notifications.ts";
import { duplicateId, noStream, tooMany } from "./refusals.ts";
import { HandshakeAnswer, InitializeAnswer, SessionAnswer, takesEmptyEvents } from "./session-answer.ts";
import type { HttpSession } from "./session.ts";
import { readEventId, replay, type SessionStream } from "./session-stream.ts";
import { Sessions } from "./sessions.ts";
import { SsePair } from "./sse-pair.ts";

/** Something has to be sent, or nobody on the way would pass on the headers. */
const STREAM_OPENED = encodeComment("open");

/**
 * What HTTP adds for clients of 2025-11-25 and earlier: sessions, the GET stream, DELETE, resumption, batches; and plain
 * requests, which come without a handshake and are answered all the same.
 */
export class LegacyEndpoint {
  /** The older transport, where it is wanted. */
  readonly ssePair: SsePair | undefined;
  readonly #serving: Serving;
  readonly #sessions: Sessions | undefined;
  /** Whether the server has anything to say to the clients that this is for. */
  readonly #speaksLegacy: boolean;

  constructor({ serving, settings }: HttpEndpoint) {
    bringLegacyEra(legacyEra);
    this.#serving = serving;
    this.#speaksLegacy = serving.revisions.some((revision) => eraOf(revision) === "legacy");
    const { sessions, eventStore, retryDelay, legacySse } = settings;
    this.ssePair = legacySse && new SsePair(legacySse);
    if (sessions === undefined) return;
    const store = eventStore === false ? undefined : (eventStore ?? createMemoryEventStore());
    const setting = { serving, store, retryDelay, maxStreams: sessions.maxStreams };
    this.#sessions = new Sessions(setting, sessions);
  }

  acceptRequest(call: HttpCall, request: RequestMessage): void {
    if (request.method === "initialize" && !this.#speaksLegacy) return this.#refuseHandshake(call, request);
    if (!this.#checkVersion(call, request.id)) return;
    if (request.method !== "initialize" && this.#lacksVersion(call)) return refuse(call, unversioned(request.id));
    const { json, events } = call.accepts;
    if (!json && !events) return refuse(call, wrongAccept(request.id));
    const session = this.#findSession(call, request.id);
    if (session === null) return;
    if (session !== undefined) return this.#serveInSession(call, request, session);
    if (request.method === "initialize") return this.#initialize(call, request);
    serveRequest(request, new Answer(call, request.id));
  }

  acceptNotification(call: HttpCall, message: NotificationMessage): void {
    if (!this.#checkVersion(call)) return;
    const session = this.#findSession(call);
    if (session === null) return;
    hearNotification(call, message, session);
    call.send(202);
  }

  acceptResponse(call: HttpCall, message: ResponseMessage): void {
    if (!this.#checkVersion(call)) return;
    const session = this.#findSession(call);
    if (session === null) return;
    const violation = session?.settle(message);
    if (session === undefined || violation?.code === "UNKNOWN_RESPONSE") {
      return refuse(call, { status: 400, message: "Nothing was asked that this response could answer." });
    }
    // One that comes too late is nobody's fault.
    call.send(202);
  }

  acceptBatch(call: HttpCall, items: readonly unknown[]): void {
    if (!this.#checkVersion(call)) return;
    const session = this.#findSession(call);
    if (session === null) return;
    // Without a handshake or a header, the client speaks 2025-03-26 (2025-11-25, "Protocol Version Header").
    const revision =
      session === undefined ? (call.header("mcp-protocol-version") ?? "2025-03-26") : session.state.revision;
    if (revision !== "2025-03-26" || !speaks(this.#serving, revision)) {
      const message = "Batches are part of revision 2025-03-26 only; send one message at a time.";
      return refuse(call, { status: 400, message });
    }
    acceptBatch(call, items, session);
  }

  /** Opens or resumes a stream of a session. */
  acceptGet(call: HttpCall): void {
    if (!this.#speaksLegacy) return refuse(call, wrongMethod(call));
    if (!this.#checkVersion(call)) return;
    if (!call.accepts.events) return refuse(call, noStream());
    const session = this.#findSession(call);
    if (!session) return;
    const lastEventId = call.header("last-event-id");
    if (lastEventId === undefined || session.store === undefined) this.#openStream(call, session);
    else void this.#resume(call, session, lastEventId);
  }

  /** Ends a session. */
  acceptDelete(call: HttpCall): void {
    if (!this.#speaksLegacy) return refuse(call, wrongMethod(call));
    if (!this.#checkVersion(call)) return;
    const session = this.#findSession(call);
    if (!session) return;
    this.#sessions?.end(session);
    call.send(204);
  }

  /** Ends the streams that would stay open for ever. */
  endStreams(): void {
    this.#sessions?.endStreams();
  }

  close(): void {
    this.#sessions?.close(503);
  }

  /** Names the versions: older clients have nothing else to show to their users (2026-07-28, versioning). */
  #refuseHandshake(call: HttpCall, { id, params }: RequestMessage): void {
    try {
      negotiate(this.#serving, params);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      refuse(call, ruledOut(error, id));
    }
  }

  #serveInSession(call: HttpCall, request: RequestMessage, session: HttpSession): void {
    const { id } = request;
    if (session.isAnswering(id)) return refuse(call, ruledOut(duplicateId(id), id));
    serveRequest(request, new SessionAnswer(call, id, session));
  }

  #initialize(call: HttpCall, request: RequestMessage): void {
    if (this.#sessions === undefined) {
      call.session = this.#serving.openSession({});
      return serveRequest(request, new HandshakeAnswer(call, request.id));
    }
    const session = this.#sessions.open(call.principal?.id);
    if (session === undefined) return refuse(call, tooMany("sessions", request.id));
    enter(call, session);
    serveRequest(request, new InitializeAnswer(call, request.id, session, this.#sessions));
  }

  #openStream(call: HttpCall, session: HttpSession): void {
    const stream = session.openStandaloneStream();
    stream.attach(openFor(call, session, (lost) => stream.detach(lost)));
    begin(stream, session);
  }

  async #resume(call: HttpCall, session: HttpSession, lastEventId: string): Promise<void> {
    const place = readEventId(lastEventId);
    const stream = place === undefined ? undefined : session.findStream(place.stream);
    let connection: EventStream | undefined;
    try {
      if (place !== undefined && stream !== undefined) {
        connection = openFor(call, session, (lost) => stream.detach(lost));
        await stream.resume(connection, place.sequence);
      } else if (place?.stream.startsWith("g")) {
        // It makes no difference which stream carries what belongs to no request, as long as nothing is left out.
        const next = session.openStandaloneStream();
        const opened = (connection = openFor(call, session, (lost) => next.detach(lost)));
        await next.resume(opened, 0, () => replay(session, place.stream, place.sequence, opened));
        begin(next, session);
      } else if (place === undefined || !(await session.hasEvents(place.stream, place.sequence))) {
        const message = "There is nothing to resume: no event is kept after this Last-Event-ID.";
        refuse(call, { status: 400, message });
      } else {
        connection = openFor(call, session, (lost) => lost.lost());
        await replay(session, place.stream, place.sequence, connection);
        connection.end();
      }
    } catch (error) {
      session.storeFailed(error);
      if (connection === undefined) refuse(call, internal("The kept events cannot be read now."));
      else connection.end();
    }
  }

  /** Checks the `MCP-Protocol-Version` header, which may be absent. */
  #checkVersion(call: HttpCall, id?: RequestId): boolean {
    const version = call.header("mcp-protocol-version");
    if (version === undefined) return true;
    if (!speaks(this.#serving, version)) {
      refuse(call, wrongVersion(this.#serving, version, id));
      return false;
    }
    if (eraOf(version) === "legacy") call.plainRevision = version;
    return true;
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

  /** The session that a request names; `null` if it was refused because there is no such session. */
  #findSession(call: HttpCall, id?: RequestId): HttpSession | undefined | null {
    const name = this.#sessions === undefined ? undefined : call.header("mcp-session-id");
    if (name === undefined) return undefined;
    const session = this.#sessions?.find(name, call.principal?.id);
    if (session === undefined) {
      const message = "There is no such session, or it has ended. Open a new one with `initialize`.";
      refuse(call, { status: 404, message, id });
      return null;
    }
    enter(call, session);
    return session;
  }
}

function unversioned(id: RequestId): Refusal {
  const message =
    "Header mismatch: the MCP-Protocol-Version header is missing; it must name the version of the request.";
  return { status: 400, code: ErrorCode.HeaderMismatch, message, id };
}

/** From here on the request counts as part of the session. */
function enter(call: HttpCall, session: HttpSession): void {
  call.session = session.state;
  call.connection = session;
}

/** Tells the client where it is on a stream, so that it can come back to it. */
function begin(stream: SessionStream, session: HttpSession): void {
  if (takesEmptyEvents(session)) stream.prime();
  stream.flush();
}

/** Opens a connection for a stream of a session, and says when it is lost. */
function openFor(call: HttpCall, session: HttpSession, lost: (connection: EventStream) => void): EventStream {
  const connection = call.openEvents();
  call.front.onGone(() => {
    session.lastSeen = Date.now();
    lost(connection);
  });
  void connection.write(STREAM_OPENED);
  return connection;
}
