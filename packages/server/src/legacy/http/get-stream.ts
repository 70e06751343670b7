import { encodeComment } from "@toolwire/protocol/framing";
import { internalError } from "../../bindings/admission/refusals.ts";
import type { DisconnectListener } from "../../bindings/http/adapter.ts";
import { refuse } from "../../bindings/http/errors.ts";
import type { EventStream } from "../../bindings/http/events.ts";
import type { InFlightLimits } from "../../bindings/http/limits.ts";
import type { HttpRequest } from "../../bindings/http/request.ts";
import { Unavailable } from "../../errors.ts";
import { refusalOf } from "./errors.ts";
import type { HttpSession, StoreReader } from "./session.ts";

/** Proxies forward the headers of a response with its first bytes, so every stream begins with some. */
const STREAM_OPENED = encodeComment("open");

/** What a connection carries. */
export interface Carried {
  /** The connection is lost. */
  detach(connection: EventStream): void;
}

/** Decides which stream the client gets, by the id of the last event that it has seen. */
export type StartStream = (opening: GetStream) => Promise<void>;

/**
 * The response to a GET of a session: a standalone stream, or the rest of a stream that broke (2025-11-25, "Resumability and
 * Redelivery"). While it reads from the event store, it counts against the limits, and the session can abort it.
 */
export class GetStream implements DisconnectListener, StoreReader {
  readonly request: HttpRequest;
  readonly #session: HttpSession;
  readonly #limits: InFlightLimits;
  readonly #client: string | object;
  /** The event stream on the connection, once it was opened. */
  #connection: EventStream | undefined;
  /** What the connection carries, if it is to be told when the connection is lost. */
  #stream: Carried | undefined;
  #isOpening = true;

  constructor(request: HttpRequest, session: HttpSession, limits: InFlightLimits) {
    this.request = request;
    this.#session = session;
    this.#limits = limits;
    this.#client = request.client;
  }

  /** Whether it is opening: counted, and not aborted or disconnected. */
  get isOpening(): boolean {
    return this.#isOpening;
  }

  /** Responds with the stream that `start` chooses. */
  async open(start: StartStream): Promise<void> {
    this.#limits.add(this.#client, 1);
    this.#session.addReader(this);
    this.request.adapter.onDisconnect(this);
    try {
      await start(this);
    } catch (error) {
      this.abort(error as Error);
    } finally {
      this.#leave();
    }
  }

  /** Opens the connection, which carries a stream from now on. */
  connect(stream: Carried | undefined): EventStream {
    this.#stream = stream;
    this.#connection = this.request.openEventStream();
    void this.#connection.write(STREAM_OPENED);
    this.#connection.endAt(this.request.principal?.expiresAt, () => this.#expire());
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
    if (reason instanceof Unavailable) {
      if (this.#connection !== undefined) return this.#connection.end();
      return refuse(this.request, refusalOf(this.request.endpoint.server, reason));
    }
    this.#session.storeFailed(reason);
    if (this.#connection === undefined) refuse(this.request, internalError("The kept events cannot be read now."));
    else this.#connection.end();
  }

  #leave(): void {
    if (!this.#isOpening) return;
    this.#isOpening = false;
    this.#session.removeReader(this);
    this.#limits.add(this.#client, -1);
  }
}
