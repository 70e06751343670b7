import {
  eraOf,
  type MalformedMessage,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { type Refusal, tooMany, tooManyOfClient } from "../../bindings/admission/refusals.ts";
import { withTimeout } from "../../bindings/admission/with-timeout.ts";
import type { HttpEndpoint } from "../../bindings/http/endpoint.ts";
import type { HttpEra } from "../../bindings/http/era.ts";
import {
  checkVersionHeader,
  noBatches,
  notAcceptable,
  nothingAsked,
  protocolError,
  refuse,
  versionMissing,
} from "../../bindings/http/errors.ts";
import { InFlightLimits } from "../../bindings/http/limits.ts";
import type { HttpRequest } from "../../bindings/http/request.ts";
import { HttpResponse, serveRequest, type Statuses } from "../../bindings/http/response.ts";
import { refuseBatch } from "./batch.ts";
import { acceptBatch } from "./batch-response.ts";
import { duplicateId, noSuchSession, streamNotAccepted } from "./errors.ts";
import { GetStream } from "./get-stream.ts";
import { createMemoryEventStore } from "./memory-event-store.ts";
import { type LegacyHttpOptions, resolveLegacySettings, type LegacyHttpSettings } from "./options.ts";
import { SessionResponse } from "./response.ts";
import { HttpSession } from "./session.ts";
import { isPostStream } from "./session-stream.ts";
import { Sessions } from "./sessions.ts";
import { SsePair } from "./sse-pair.ts";

export type { LegacyHttpOptions };

/** Before 2026-07-28, every response to a request that was understood has the status 200. */
const NO_STATUSES: Statuses = new Map();

/** Makes the legacy part of an endpoint; `undefined` if it is turned off, or if the server speaks no legacy revision. */
export function createLegacyHttpEra(
  endpoint: HttpEndpoint,
  options: LegacyHttpOptions | false = {},
): HttpEra | undefined {
  if (options === false) return undefined;
  const settings = resolveLegacySettings(options);
  const { revisions } = endpoint.server;
  return revisions.some((revision) => eraOf(revision) === "legacy")
    ? new LegacyEndpoint(endpoint, settings)
    : undefined;
}

/**
 * Serves clients of 2025-11-25 and earlier: sessions with the GET stream, resumption and DELETE, batches, the HTTP+SSE
 * transport, and requests without a handshake.
 */
class LegacyEndpoint implements HttpEra {
  readonly #endpoint: HttpEndpoint;
  readonly #sessions: Sessions | undefined;
  /** The HTTP+SSE transport, which has paths of its own. */
  readonly ownPaths: SsePair | undefined;
  /**
   * Counts the GETs that wait for the event store, or for their client to read. They have the limits of requests, but do not
   * count as requests: they may be what the requests in flight wait for.
   */
  readonly #openingStreams: InFlightLimits;
  /** Whether every request has to name its revision: clients before 2025-06-18 never do. */
  readonly #requiresVersion: boolean;
  /** When closing has to be over. */
  #closeBy = 0;
  #isClosed = false;

  constructor(endpoint: HttpEndpoint, { sessions, eventStore, retryDelay, sse }: LegacyHttpSettings) {
    this.#endpoint = endpoint;
    const { server, settings } = endpoint;
    const { maxInFlight, maxInFlightPerClient } = settings;
    this.#openingStreams = new InFlightLimits(maxInFlight, maxInFlightPerClient, endpoint);
    this.#requiresVersion =
      server.revisions.every((revision) => revision >= "2025-06-18") &&
      server.revisions.some((revision) => eraOf(revision) === "modern");
    if (sse !== undefined) {
      this.ownPaths = new SsePair(sse, { max: sessions?.max ?? maxInFlight, maxPerClient: sessions?.maxPerClient });
    }
    if (sessions === undefined) return;
    const store = eventStore === false ? undefined : (eventStore ?? createMemoryEventStore());
    this.#sessions = new Sessions({ server, store, retryDelay, maxStreams: sessions.maxStreams }, sessions);
  }

  // Routing.

  /** Opens or resumes a stream of a session (GET), or ends the session (DELETE). */
  acceptBodiless(request: HttpRequest): boolean {
    const { method } = request.adapter;
    if ((method !== "GET" && method !== "DELETE") || !this.#namesSession(request)) return false;
    if (method === "GET" && !request.accepts.events) {
      refuse(request, streamNotAccepted());
      return true;
    }
    const session = this.#enterOrRefuse(request);
    if (session === undefined) return true;
    if (method === "GET") GetStream.open(request, session, this.#openingStreams);
    else {
      this.#sessions?.end(session);
      // Not 204: some proxies add a body to every response, which a 204 cannot have.
      request.respond(200);
    }
    return true;
  }

  acceptRequest(request: HttpRequest, message: RequestMessage): void {
    const { id, method } = message;
    const isHandshake = method === "initialize";
    const namesSession = this.#namesSession(request);
    const refusal = this.#checkRequest(request, id, isHandshake);
    if (refusal !== undefined) return refuse(request, refusal);
    if (!namesSession) {
      if (isHandshake) return this.#initialize(request, message);
      return serveRequest(message, new HttpResponse(request, id, request.mayStream, NO_STATUSES));
    }
    const session = this.#enter(request);
    if (session === undefined) return refuse(request, noSuchSession());
    if (session.hasInFlight(id)) return refuse(request, protocolError(duplicateId(id), id));
    serveRequest(message, new SessionResponse(request, id, session));
  }

  acceptNotification(request: HttpRequest, message: NotificationMessage): boolean {
    if (!this.#namesSession(request)) return false;
    const session = this.#enterOrRefuse(request);
    if (session === undefined) return true;
    session.hear(message, request);
    request.respond(202);
    return true;
  }

  acceptResponse(request: HttpRequest, message: ResponseMessage): boolean {
    if (!this.#namesSession(request)) return false;
    const session = this.#enterOrRefuse(request);
    if (session === undefined) return true;
    if (session.settle(message)?.code === "UNKNOWN_RESPONSE") refuse(request, nothingAsked());
    // A response that comes too late breaks no rule.
    else request.respond(202);
    return true;
  }

  acceptBatch(request: HttpRequest, items: readonly unknown[]): void {
    let session: HttpSession | undefined;
    let revision = request.header("mcp-protocol-version");
    if (this.#namesSession(request)) {
      session = this.#enterOrRefuse(request);
      if (session === undefined) return;
      revision = session.state.revision;
    } else {
      const refusal = checkVersionHeader(request);
      if (refusal !== undefined) return refuse(request, refusal);
      // Without a handshake or a header, the client speaks 2025-03-26 (2025-11-25, "Protocol Version Header").
      revision ??= "2025-03-26";
    }
    const hasBatches = revision === "2025-03-26" && this.#endpoint.serves(revision);
    if (hasBatches) acceptBatch(request, items, session);
    else refuseBatch(request, items, session, noBatches());
  }

  noteMalformed(request: HttpRequest, error: MalformedMessage): void {
    if (this.#namesSession(request)) this.#findSession(request)?.noteMalformed(error);
  }

  /** Checks what a request says about itself, before its session is looked up. */
  #checkRequest(request: HttpRequest, id: RequestId, isHandshake: boolean): Refusal | undefined {
    const lacksVersion = this.#requiresVersion && request.header("mcp-protocol-version") === undefined;
    // Requests of a session have the version of its handshake.
    if (lacksVersion && !isHandshake && request.header("mcp-session-id") === undefined) return versionMissing(id);
    const { json, events } = request.accepts;
    if (!json && !events) return notAcceptable(id);
    // A handshake negotiates its version in the body. The header belongs to later requests, but some clients send it now.
    return isHandshake ? undefined : checkVersionHeader(request, id);
  }

  // Sessions.

  #initialize(request: HttpRequest, message: RequestMessage): void {
    const { id } = message;
    if (this.#sessions === undefined) {
      // The state ends with the request: without a link to the client, it holds nothing that has to be closed.
      request.state = this.#endpoint.server.openConnection({});
      return serveRequest(message, new HttpResponse(request, id, request.mayStream, NO_STATUSES));
    }
    // Before there is a session, which only its response would end.
    const refusal = this.#endpoint.limits.check(request.client, 1, id);
    if (refusal !== undefined) return refuse(request, refusal);
    const session = this.#sessions.open(request.principal?.id, request.caller);
    if (session === "tooMany") return refuse(request, tooMany("sessions", 60, id));
    if (session === "tooManyOfClient") return refuse(request, tooManyOfClient("sessions", 60, id));
    join(request, session);
    serveRequest(message, new SessionResponse(request, id, session, this.#sessions));
  }

  /** Whether a request names a session, and there are sessions here. */
  #namesSession(request: HttpRequest): boolean {
    return this.#sessions !== undefined && request.header("mcp-session-id") !== undefined;
  }

  #findSession(request: HttpRequest): HttpSession | undefined {
    return this.#sessions?.find(request.header("mcp-session-id") ?? "", request.principal?.id);
  }

  /** Finds the session that a request names, and makes the request part of it. `undefined` if there is none of this id. */
  #enter(request: HttpRequest): HttpSession | undefined {
    const session = this.#findSession(request);
    if (session !== undefined) join(request, session);
    return session;
  }

  /** Enters the session that a request names. If that fails, refuses the request and returns `undefined`. */
  #enterOrRefuse(request: HttpRequest): HttpSession | undefined {
    const refusal = checkVersionHeader(request);
    const session = refusal === undefined ? this.#enter(request) : undefined;
    if (session === undefined) refuse(request, refusal ?? noSuchSession());
    return session;
  }

  // Closing.

  /**
   * Clients are asked on streams, and answer by POST; until its body is read, each POST may bring an answer. A client that
   * has lost the stream of a response, or was told to reconnect, does so by GET.
   */
  isAwaited(request: HttpRequest, value: unknown): boolean {
    if (this.#isClosed) return false;
    const { method } = request.adapter;
    if (method === "GET") return isPostStream(request.header("last-event-id"));
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    return method === "POST" && !messages.some(isRequest);
  }

  get needsConnections(): boolean {
    if (this.ownPaths !== undefined) return true;
    return this.#endpoint.inFlight.list().some(({ request }) => request.connection instanceof HttpSession);
  }

  beginClose(): Promise<void> {
    this.#closeBy = performance.now() + this.#endpoint.settings.closeTimeout;
    this.#sessions?.endStreams();
    return this.ownPaths?.close() ?? Promise.resolve();
  }

  /** Ends all sessions. Waits until the event store has forgotten them, but no longer than the time to close. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#sessions !== undefined) await withTimeout(this.#closeBy - performance.now(), this.#sessions.close(503));
  }
}

/** Makes a request part of a session. */
function join(request: HttpRequest, session: HttpSession): void {
  request.state = session.state;
  request.connection = session;
}

/** Whether a posted value asks for a response, well-formed or not. */
function isRequest(message: unknown): boolean {
  return isObject(message) && "method" in message && "id" in message;
}
