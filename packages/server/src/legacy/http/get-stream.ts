import { encodeComment } from "@toolwire/protocol/framing";
import { internalError } from "../../bindings/admission/refusals.ts";
import type { DisconnectListener } from "../../bindings/http/adapter.ts";
import { refuse } from "../../bindings/http/errors.ts";
import type { EventStream } from "../../bindings/http/events.ts";
import type { InFlightLimits } from "../../bindings/http/limits.ts";
import type { HttpRequest } from "../../bindings/http/request.ts";
import { nothingToResume } from "./errors.ts";
import type { HttpSession, StoreReader } from "./session.ts";
import { type EventId, readEventId, replay, type SessionStream } from "./session-stream.ts";

/** Proxies forward the headers of a response with its first bytes, so every stream begins with some. */
const STREAM_OPENED = encodeComment("open");

/**
 * The response to a GET of a session: a standalone stream, or the rest of a stream that broke (2025-11-25, "Resumability and
 * Redelivery"). While it reads from the event store, it counts against the limits, and the session can abort it.
 */
export class GetStream implements DisconnectListener, StoreReader {
  readonly #request: HttpRequest;
  readonly #session: HttpSession;
  readonly #limits: InFlightLimits;
  readonly #client: string | object;
  /** The event stream on the connection, once it was opened. */
  #connection: EventStream | undefined;
  /** The stream of the session that the connection carries, if any. */
  #stream: SessionStream | undefined;
  /** Whether it is opening: counted, and not aborted or disconnected. */
  #isOpening = true;

  private constructor(request: HttpRequest, session: HttpSession, limits: InFlightLimits) {
    this.#request = request;
    this.#session = session;
    this.#limits = limits;
    this.#client = request.client;
  }

  /** Responds to a GET. `limits` counts the streams that are being opened. */
  static open(request: HttpRequest, session: HttpSession, limits: InFlightLimits): void {
    const refusal = limits.check(request.client, 1);
    if (refusal !== undefined) return refuse(request, refusal);
    const opening = new GetStream(request, session, limits);
    void opening.#open();
  }

  async #open(): Promise<void> {
    this.#limits.add(this.#client, 1);
    this.#session.addReader(this);
    this.#request.adapter.onDisconnect(this);
    try {
      await this.#start();
    } catch (error) {
      this.abort(error as Error);
    } finally {
      this.#leave();
    }
  }

  /** Decides which stream the client gets, by the id of the last event that it has seen. */
  async #start(): Promise<void> {
    const lastEventId = this.#session.store === undefined ? undefined : this.#request.header("last-event-id");
    const last = lastEventId === undefined ? undefined : readEventId(lastEventId);
    const unfinished = last === undefined ? undefined : this.#session.findStream(last.stream);
    if (lastEventId === undefined) await this.#startStandalone(undefined);
    else if (last === undefined) refuse(this.#request, nothingToResume());
    else if (unfinished !== undefined) await unfinished.resume(this.#connect(unfinished), last.sequence);
    else if (last.isStandalone) await this.#startStandalone(last);
    else await this.#replayFinished(last);
  }

  /**
   * Opens a standalone stream. The events of an earlier one come first: it makes no difference which stream carries messages
   * that belong to no request, as long as none is left out.
   */
  async #startStandalone(last: EventId | undefined): Promise<void> {
    const session = this.#session;
    const stream = session.openStandaloneStream();
    const connection = this.#connect(stream);
    if (last === undefined) stream.attach(connection);
    else await stream.resume(connection, 0, () => replay(session, last.stream, last.sequence, connection));
    // Gives the client an event id to come back with.
    stream.prime();
    stream.flush();
  }

  /** Sends the rest of a stream on which nothing more will be sent. */
  async #replayFinished(last: EventId): Promise<void> {
    const events = await this.#session.eventsAfter(last.stream, last.sequence);
    if (events.length === 0) refuse(this.#request, nothingToResume());
    if (events.length === 0 || !this.#isOpening) return;
    const connection = this.#connect(undefined);
    await replay(this.#session, last.stream, last.sequence, connection);
    connection.end();
  }

  #connect(stream: SessionStream | undefined): EventStream {
    this.#stream = stream;
    this.#connection = this.#request.openEventStream();
    void this.#connection.write(STREAM_OPENED);
    this.#connection.endAt(this.#request.principal?.expiresAt, () => this.#expire());
    return this.#connection;
  }

  /** The credentials of the client have expired. It reconnects with new ones, for the rest of the stream. */
  #expire(): void {
    this.#connection?.end();
    this.disconnected();
  }

  disconnected(): void {
    this.#leave();
    if (this.#connection === undefined) return;
    this.#session.lastSeen = performance.now();
    this.#connection.disconnected();
    this.#stream?.detach(this.#connection);
  }

  /** Gives up on the event store, which has failed, or may never answer. */
  abort(reason: Error): void {
    this.#leave();
    this.#session.storeFailed(reason);
    if (this.#connection === undefined) refuse(this.#request, internalError("The kept events cannot be read now."));
    else this.#connection.end();
  }

  #leave(): void {
    if (!this.#isOpening) return;
    this.#isOpening = false;
    this.#session.removeReader(this);
    this.#limits.add(this.#client, -1);
  }
}
