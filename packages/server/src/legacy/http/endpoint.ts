import {
  eraOf,
  type MalformedMessage,
  type NotificationMessage,
  type ProtocolViolation,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  UsageError,
} from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { type Refusal, shuttingDown, tooMany, tooManyOfClient } from "../../bindings/admission/refusals.ts";
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
import { isThenable } from "../../request/thenable.ts";
import { ClusterSessions } from "./cluster/sessions.ts";
import { refuseBatch } from "./batch.ts";
import { acceptBatch } from "./batch-response.ts";
import { duplicateId, noSuchSession, refusalOf, streamNotAccepted } from "./errors.ts";
import { SealedSessions } from "./sealed/sealed-sessions.ts";
import { GetStream } from "./get-stream.ts";
import { createMemoryEventStore } from "./memory-event-store.ts";
import { type LegacyHttpOptions, resolveLegacySettings, type LegacyHttpSettings } from "./options.ts";
import { SessionResponse } from "./response.ts";
import { HttpSession } from "./session.ts";
import { isPostStream } from "./session-stream.ts";
import type { SessionDirectory } from "./session-directory.ts";
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
  /** Sessions that are kept, here or by several processes together. */
  readonly #sessions: SessionDirectory | undefined;
  /** Sessions that their clients carry. */
  readonly #sealed: SealedSessions | undefined;
  /** The HTTP+SSE transport, which has paths of its own. */
  readonly ownPaths: SsePair | undefined;
  /**
   * Counts the GETs that wait for the event store, or for their client to read. They have the limits of requests, but do not
   * count as requests: they may be what the requests in flight wait for.
   */
  readonly #openingStreams: InFlightLimits;
  /** Counts the requests whose session has to be looked up outside of this process, in the same way. */
  readonly #entering: InFlightLimits;
  /** Whether every request has to name its revision: clients before 2025-06-18 never do. */
  readonly #requiresVersion: boolean;
  /** When closing has to be over. */
  #closeBy = 0;
  #isClosed = false;

  constructor(endpoint: HttpEndpoint, { sessions, sealed, eventStore, retryDelay, sse }: LegacyHttpSettings) {
    this.#endpoint = endpoint;
    const { server, settings } = endpoint;
    const { cluster } = settings;
    if (cluster !== undefined) expectNoOther(sealed, eventStore);
    const { maxInFlight, maxInFlightPerClient } = settings;
    this.#openingStreams = new InFlightLimits(maxInFlight, maxInFlightPerClient, endpoint);
    this.#entering = new InFlightLimits(maxInFlight, maxInFlightPerClient, endpoint);
    this.#requiresVersion =
      server.revisions.every((revision) => revision >= "2025-06-18") &&
      server.revisions.some((revision) => eraOf(revision) === "modern");
    if (sse !== undefined) {
      this.ownPaths = new SsePair(
        sse,
        { max: sessions?.max ?? maxInFlight, maxPerClient: sessions?.maxPerClient },
        endpoint,
      );
    }
    if (sealed !== undefined) this.#sealed = new SealedSessions(server, sealed);
    if (sessions === undefined) return;
    const store = eventStore === false ? undefined : (eventStore ?? createMemoryEventStore());
    const shared = { server, store, retryDelay, maxStreams: sessions.maxStreams };
    this.#sessions =
      cluster === undefined ? new Sessions(shared, sessions) : new ClusterSessions(cluster, shared, sessions);
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
    this.#enterChecked(request, (session) => {
      if (method === "GET") this.#openStream(request, session);
      // Not 204: some proxies add a body to every response, which a 204 cannot have.
      else this.#respondAfter(request, this.#sessions?.end(session), 200);
    });
    return true;
  }

  #openStream(request: HttpRequest, session: HttpSession): void {
    const refusal = this.#openingStreams.check(request.client, 1);
    if (refusal !== undefined) return refuse(request, refusal);
    const opening = new GetStream(request, session, this.#openingStreams);
    void opening.open((stream) => session.startStream(stream));
  }

  acceptRequest(request: HttpRequest, message: RequestMessage): void {
    const { id, method } = message;
    const isHandshake = method === "initialize";
    const namesSession = this.#namesSession(request);
    const refusal = this.#checkRequest(request, id, isHandshake);
    if (refusal !== undefined) return refuse(request, refusal);
    if (!namesSession) {
      if (isHandshake) return this.#initialize(request, message);
      const serve = (): void => serveRequest(message, new HttpResponse(request, id, request.mayStream, NO_STATUSES));
      return this.#namesSealed(request) ? this.#unseal(request, serve) : serve();
    }
    this.#enter(request, (session) => {
      if (session.hasInFlight(id)) return refuse(request, protocolError(duplicateId(id), id));
      serveRequest(message, new SessionResponse(request, id, session));
    });
  }

  acceptNotification(request: HttpRequest, message: NotificationMessage): boolean {
    if (this.#namesSession(request)) {
      this.#enterChecked(request, (session) => this.#respondAfter(request, session.hear(message, request), 202));
      return true;
    }
    const refusal = checkVersionHeader(request);
    if (refusal !== undefined || !this.#namesSealed(request)) return false;
    this.#unseal(request, () => {
      this.#endpoint.server.hear(message, request);
      request.respond(202);
    });
    return true;
  }

  acceptResponse(request: HttpRequest, message: ResponseMessage): boolean {
    if (!this.#namesSession(request)) return false;
    this.#enterChecked(request, (session) => {
      const settled = session.settle(message);
      if (!isThenable(settled)) return confirmResponse(request, settled);
      settled.then(
        (violation) => confirmResponse(request, violation),
        (error: unknown) => this.#refuseFailed(request, error),
      );
    });
    return true;
  }

  acceptBatch(request: HttpRequest, items: readonly unknown[]): void {
    if (this.#namesSession(request)) {
      return this.#enterChecked(request, (session) => this.#takeBatch(request, items, session, session.state.revision));
    }
    const refusal = checkVersionHeader(request);
    if (refusal !== undefined) return refuse(request, refusal);
    if (this.#namesSealed(request)) {
      return this.#unseal(request, (revision) => this.#takeBatch(request, items, undefined, revision));
    }
    // Without a handshake or a header, the client speaks 2025-03-26 (2025-11-25, "Protocol Version Header").
    this.#takeBatch(request, items, undefined, request.header("mcp-protocol-version") ?? "2025-03-26");
  }

  #takeBatch(
    request: HttpRequest,
    items: readonly unknown[],
    session: HttpSession | undefined,
    revision: string | undefined,
  ): void {
    const hasBatches = revision === "2025-03-26" && this.#endpoint.serves(revision);
    if (hasBatches) acceptBatch(request, items, session);
    else refuseBatch(request, items, session, noBatches());
  }

  noteMalformed(request: HttpRequest, error: MalformedMessage): void {
    if (!this.#namesSession(request)) return;
    const found = this.#findSession(request);
    if (!isThenable(found)) found?.noteMalformed(error);
    // The request is refused anyway. The question that it answers badly fails in its own time, if nobody can be told now.
    else void found.then((session) => session?.noteMalformed(error)).catch(() => undefined);
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
    if (this.#sealed !== undefined) return serveRequest(message, this.#sealed.open(request, id, NO_STATUSES));
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
    request.state = session.state;
    request.connection = session;
    serveRequest(message, new SessionResponse(request, id, session, this.#sessions));
  }

  /** Whether a request names a session, and there are sessions here. */
  #namesSession(request: HttpRequest): boolean {
    return this.#sessions !== undefined && request.header("mcp-session-id") !== undefined;
  }

  #findSession(request: HttpRequest): HttpSession | undefined | Promise<HttpSession | undefined> {
    return this.#sessions?.find(request.header("mcp-session-id") ?? "", request.principal?.id);
  }

  /** The same as {@link #enter}, for requests whose revision was not checked yet. */
  #enterChecked(request: HttpRequest, next: (session: HttpSession) => void): void {
    const refusal = checkVersionHeader(request);
    if (refusal === undefined) this.#enter(request, next);
    else refuse(request, refusal);
  }

  /** Makes a request part of the session that it names, and goes on. Refuses the request if there is no such session. */
  #enter(request: HttpRequest, next: (session: HttpSession) => void): void {
    this.#whenFound(request, this.#findSession(request), (session) => {
      request.state = session.state;
      request.connection = session;
      next(session);
    });
  }

  /** Whether a request names a sealed session. */
  #namesSealed(request: HttpRequest): boolean {
    return this.#sealed !== undefined && request.header("mcp-session-id") !== undefined;
  }

  /** The same as {@link #enter}, for sessions that are sealed. */
  #unseal(request: HttpRequest, next: (revision: string | undefined) => void): void {
    const found = this.#sealed?.find(request.header("mcp-session-id") ?? "", request.principal?.id);
    this.#whenFound(request, found, (state) => {
      request.state = state;
      next(state.revision);
    });
  }

  /** Goes on with what was found, at once if it is there. Refuses the request if it was not found. */
  #whenFound<T>(
    request: HttpRequest,
    found: T | undefined | PromiseLike<T | undefined>,
    next: (found: T) => void,
  ): void {
    if (isThenable(found)) void this.#waitFor(request, found, next);
    else if (found === undefined) refuse(request, noSuchSession());
    else next(found);
  }

  async #waitFor<T>(
    request: HttpRequest,
    finding: PromiseLike<T | undefined>,
    next: (found: T) => void,
  ): Promise<void> {
    const { client } = request;
    const refusal = this.#entering.check(client, 1);
    if (refusal !== undefined) {
      finding.then(undefined, () => undefined);
      refuse(request, refusal);
      return;
    }
    this.#entering.add(client, 1);
    try {
      const found = await finding;
      if (this.#isClosed) refuse(request, shuttingDown());
      else if (found === undefined) refuse(request, noSuchSession());
      else next(found);
    } catch (error) {
      this.#refuseFailed(request, error);
    } finally {
      this.#entering.add(client, -1);
    }
  }

  /** Confirms a request once its work is done. */
  #respondAfter(request: HttpRequest, work: void | Promise<void>, status: number): void {
    if (!isThenable(work)) return request.respond(status);
    work.then(
      () => request.respond(status),
      (error: unknown) => this.#refuseFailed(request, error),
    );
  }

  #refuseFailed(request: HttpRequest, error: unknown): void {
    refuse(request, refusalOf(this.#endpoint.server, error));
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

/** Confirms a response of the client. One that comes too late breaks no rule. */
function confirmResponse(request: HttpRequest, violation: ProtocolViolation | undefined): void {
  if (violation?.code === "UNKNOWN_RESPONSE") refuse(request, nothingAsked());
  else request.respond(202);
}

/** Refuses what makes no sense if several processes share their sessions. */
function expectNoOther(sealed: LegacyHttpSettings["sealed"], eventStore: LegacyHttpSettings["eventStore"]): void {
  if (sealed !== undefined) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      "`legacy.sessions.sealed` is for servers without a `cluster`, which keeps sessions with all that belongs to them: leave one out.",
    );
  }
  if (eventStore === undefined || eventStore === false) return;
  throw new UsageError(
    "INVALID_ARGUMENT",
    "`legacy.eventStore` is for servers without a `cluster`, which keeps the events that a client may come back for: leave one out.",
  );
}

/** Whether a posted value asks for a response, well-formed or not. */
function isRequest(message: unknown): boolean {
  return isObject(message) && "method" in message && "id" in message;
}
