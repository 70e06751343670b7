import {
  encodeMessage,
  TransportError,
  type Exchange,
  type ExchangeSink,
  type NotificationMessage,
  type ProtocolViolation,
  type MalformedMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "@toolwire/protocol";
import { IdTable, PendingExchanges } from "@toolwire/protocol/internal";
import type { ConnectionLink, ConnectionSharing, Origin, ServerBinding, ServerConnection } from "../../binding.ts";
import type { MessageStream } from "../../bindings/http/events.ts";
import { releaseTimer } from "../../timers.ts";
import type { EventStore, StoredEvent } from "./event-store.ts";
import type { GetStream } from "./get-stream.ts";
import { SessionStream } from "./session-stream.ts";
import { startStream } from "./start-stream.ts";

/** The settings that all sessions of one endpoint share. */
export interface SessionSettings {
  readonly server: ServerBinding;
  readonly store: EventStore | undefined;
  readonly retryDelay: number;
  readonly maxStreams: number;
}

/** The response to a request in flight. */
export interface OpenResponse {
  /** Whether its client is connected. */
  readonly isConnected: boolean;
  /** Stops the work. If nothing was sent yet, the client gets this status. */
  cancel(reason: string, status?: number): void;
}

/** Whose session it is. */
export interface SessionOwner {
  /** The id of the principal that opened the session, and the only one that may use it. */
  readonly principal: string | undefined;
  /** The client that the session counts for: the principal, or else the network that it was opened from. */
  readonly caller: string | undefined;
}

/** Waits for the event store on behalf of a client. */
export interface StoreReader {
  /** Gives up: the store may never answer. */
  abort(reason: Error): void;
}

/** How long an ended session waits for events that are being stored. */
const MAX_STORING_MS = 10_000;

const NO_WORK: Exchange = { cancel() {} };

/**
 * A session of one client: its requests in flight, the requests that it was asked, and its streams. There may be
 * thousands of idle sessions, so everything that an idle one does not need is created on demand.
 */
export class HttpSession implements ConnectionLink {
  /** The id is a credential, so it must not be guessable. Visible ASCII, as the header demands. */
  readonly id: string;
  readonly principal: string | undefined;
  readonly caller: string | undefined;
  /** Present if other processes serve the same client, too. */
  readonly sharing: ConnectionSharing | undefined;
  /** When the client last sent something, or was connected. */
  lastSeen: number = performance.now();
  readonly state: ServerConnection;
  protected readonly settings: SessionSettings;
  /** The requests of the client that are in flight. */
  #responses: IdTable<OpenResponse> | undefined;
  /** The requests to the client that are not answered. */
  #asked: PendingExchanges | undefined;
  /** GETs that wait for the event store. */
  #readers: Set<StoreReader> | undefined;
  /** Unfinished streams of POSTs, by key. */
  #streams: Map<string, SessionStream> | undefined;
  /** Streams for messages that belong to no request; the latest comes last. */
  #standalone: SessionStream[] | undefined;
  #streamCount = 0;
  /** Events that an asynchronous store is storing. */
  #storing: Set<Promise<void>> | undefined;

  constructor(
    settings: SessionSettings,
    { principal, caller }: SessionOwner,
    id: string = crypto.randomUUID(),
    sharing?: ConnectionSharing,
  ) {
    this.settings = settings;
    this.id = id;
    this.principal = principal;
    this.caller = caller;
    this.sharing = sharing;
    this.state = settings.server.openConnection(this);
  }

  get store(): EventStore | undefined {
    return this.settings.store;
  }

  /** How many milliseconds the client should wait before it reconnects. */
  get retryDelay(): number {
    return this.settings.retryDelay;
  }

  /**
   * Whether streams begin with an event that carries an id and no message, so that clients can always reconnect. Clients
   * before 2025-11-25 fail on such an event.
   */
  get primesStreams(): boolean {
    return this.store !== undefined && (this.state.revision ?? "") >= "2025-11-25";
  }

  /** Whether a request is in flight, or its stream unfinished, or a question open. */
  get isBusy(): boolean {
    const inFlight = this.#responses?.size ?? 0;
    return inFlight > 0 || (this.#streams?.size ?? 0) > 0 || (this.#asked?.size ?? 0) > 0;
  }

  /** Whether a client is connected at this moment. */
  get isConnected(): boolean {
    for (const response of this.#responses?.list() ?? []) if (response.isConnected) return true;
    return this.#standalone?.some((stream) => stream.isConnected) ?? false;
  }

  // Requests of the client.

  /** Whether a request of this id is in flight. */
  hasInFlight(id: RequestId): boolean {
    return this.#responses?.get(id) !== undefined;
  }

  addResponse(id: RequestId, response: OpenResponse): void {
    (this.#responses ??= new IdTable()).set(id, response);
  }

  removeResponse(id: RequestId): void {
    this.#responses?.delete(id);
    this.lastSeen = performance.now();
  }

  /**
   * Handles a notification. A cancellation of a request that is not in flight is ignored, even if the request arrives later:
   * some bridges cancel with ids of another numbering, which must not stop later requests.
   */
  hear(message: NotificationMessage, origin: Origin): void | Promise<void> {
    const params = message.params as { requestId?: RequestId; reason?: unknown } | undefined;
    if (message.method === "notifications/cancelled") {
      const reason = typeof params?.reason === "string" ? params.reason : undefined;
      if (params?.requestId !== undefined) this.cancelHere(params.requestId, reason);
    } else if (message.method === "notifications/progress") {
      this.hearProgress(message);
    } else this.settings.server.hear(message, origin);
  }

  /** Cancels a request that is in flight in this process. */
  cancelHere(id: RequestId, reason = "the client cancelled it"): void {
    this.#responses?.get(id)?.cancel(reason);
  }

  /** Handles the progress of a request to the client that this process has sent. */
  hearProgress(message: NotificationMessage): void {
    const token = (message.params as { progressToken?: RequestId } | undefined)?.progressToken;
    if (token !== undefined) this.#asked?.find(token)?.notification(message);
  }

  // Messages to the client.

  notify(message: NotificationMessage, _place?: string): void | Promise<void> {
    return this.standaloneStream()?.send(encodeMessage(message));
  }

  /** Sends a request to the client, on the stream of the request that it belongs to, or on a standalone one. */
  exchange(
    request: RequestMessage,
    sink: ExchangeSink,
    stream: MessageStream | undefined = this.standaloneStream(),
  ): Exchange {
    const asked = (this.#asked ??= new PendingExchanges());
    asked.add(request.id, sink);
    try {
      if (stream === undefined) throw unreachable(request.method);
      void stream.send(encodeMessage(request));
    } catch (error) {
      asked.abandon(request.id);
      queueMicrotask(() => sink.failed(error as Error));
      return NO_WORK;
    }
    return {
      cancel: (reason) => {
        if (!asked.abandon(request.id)) return;
        const params = { requestId: request.id, reason };
        void stream.send(encodeMessage({ jsonrpc: "2.0", method: "notifications/cancelled", params }));
      },
    };
  }

  /** Settles a request to the client with its response, or returns what is wrong with the response. */
  settle(response: ResponseMessage): ProtocolViolation | undefined | Promise<ProtocolViolation | undefined> {
    return this.settleHere(response);
  }

  /** The same, for requests that this process has sent. */
  settleHere(response: ResponseMessage): ProtocolViolation | undefined {
    return (this.#asked ??= new PendingExchanges()).settle(response);
  }

  /** Fails the request to the client that a malformed response answers. */
  noteMalformed(error: MalformedMessage): void {
    if (!error.mayAnswer) this.#asked?.fail(error.id, error);
  }

  /** Fails a request to the client that cannot be sent. */
  protected failAsked(id: RequestId, error: Error): void {
    this.#asked?.fail(id, error);
  }

  /** Whether a request of this id to the client is not answered. */
  hasAsked(id: RequestId): boolean {
    return this.#asked?.find(id) !== undefined;
  }

  // Streams.

  /** Opens or resumes a stream for a GET. */
  startStream(opening: GetStream): Promise<void> {
    return startStream(opening, this);
  }

  /** Creates the key of a stream. Its first letter says which method has opened it. */
  createStreamKey(method: "GET" | "POST"): string {
    this.#streamCount += 1;
    return `${method === "GET" ? "g" : "p"}${this.#streamCount}`;
  }

  /** Creates a stream for the response to a POST. */
  createPostStream(): SessionStream {
    return new SessionStream(this, this.createStreamKey("POST"));
  }

  /** Keeps a stream for reconnecting clients, until it is finished. */
  keepStream(stream: SessionStream): void {
    if (this.store !== undefined) (this.#streams ??= new Map()).set(stream.key, stream);
  }

  /** Forgets a stream that is finished. */
  removeStream(stream: SessionStream): void {
    this.#streams?.delete(stream.key);
  }

  /** Creates a stream for messages that belong to no request. It replaces those that have lost their connection. */
  openStandaloneStream(): SessionStream {
    const stream = new SessionStream(this, this.createStreamKey("GET"));
    const connected = this.#standalone?.filter((other) => other.isTaken) ?? [];
    while (connected.length >= this.settings.maxStreams) connected.shift()?.finish();
    connected.push(stream);
    this.#standalone = connected;
    return stream;
  }

  /** Finds an unfinished stream by its key. */
  findStream(key: string): SessionStream | undefined {
    return this.#streams?.get(key) ?? this.#standalone?.find((stream) => stream.key === key);
  }

  /** A stream has lost its connection, or let go of it, before its end. */
  noteDetached(_stream: SessionStream): void {}

  /** Stores an event of a stream. Returns a promise that never rejects if the store is asynchronous. */
  storeEvent(stream: string, event: StoredEvent): Promise<void> | undefined {
    try {
      const stored = this.store?.append(this.id, stream, event, this.caller);
      if (stored === undefined) return undefined;
      const storing = (this.#storing ??= new Set());
      const settled = Promise.resolve(stored)
        .catch((error: unknown) => this.storeFailed(error))
        .then(() => void storing.delete(settled));
      storing.add(settled);
      return settled;
    } catch (error) {
      this.storeFailed(error);
      return undefined;
    }
  }

  /** Reads the stored events of a stream that follow a sequence number. */
  async eventsAfter(stream: string, after: number): Promise<readonly StoredEvent[]> {
    return (await this.store?.after(this.id, stream, after)) ?? [];
  }

  /** Reports that events could not be stored or read. */
  storeFailed(error: unknown): void {
    this.settings.server.diagnose({
      level: "error",
      message: "The event store failed; a client that reconnects will miss an event.",
      error,
    });
  }

  /** Registers a GET that waits for the event store. */
  addReader(reader: StoreReader): void {
    (this.#readers ??= new Set()).add(reader);
  }

  removeReader(reader: StoreReader): void {
    this.#readers?.delete(reader);
  }

  /** Ends the standalone streams. */
  endStreams(): void {
    for (const stream of this.#standalone ?? []) stream.finish();
    this.#standalone = undefined;
  }

  /**
   * Ends everything. Requests that wait for a JSON response get the status. A 404 would tell their clients that they were not
   * processed, and clients would send them again. Resolves when the event store has forgotten the session.
   */
  close(status = 410): Promise<void> {
    this.state.close();
    for (const response of this.#responses?.list() ?? []) response.cancel("the session ended", status);
    const ended = new TransportError("CLOSED", "The session ended before the answer came.");
    this.#asked?.failAll(ended);
    for (const reader of this.#readers ?? []) reader.abort(ended);
    this.endStreams();
    this.#responses = this.#asked = this.#streams = undefined;
    return this.#forget();
  }

  /** Waits for events that are being stored, which would stay for ever otherwise, but not for a store that never answers. */
  async #forget(): Promise<void> {
    if (this.#storing !== undefined && this.#storing.size > 0) {
      const late = new Promise((resolve) => releaseTimer(setTimeout(resolve, MAX_STORING_MS)));
      await Promise.race([Promise.all(this.#storing), late]);
    }
    try {
      await this.store?.forget(this.id);
    } catch (error) {
      this.storeFailed(error);
    }
  }

  /**
   * The one standalone stream that gets a message which belongs to no request: no message may be sent on several streams. A
   * stream that has lost its connection counts if events are stored, since the client can reconnect to it.
   */
  protected standaloneStream(): MessageStream | undefined {
    const latest = this.store && this.#standalone?.at(-1);
    return this.#standalone?.findLast((stream) => stream.isConnected) ?? latest;
  }
}

function unreachable(method: string): TransportError {
  const message = `The client cannot be asked (${method}): it takes no event stream and has opened none.`;
  return new TransportError("CONNECT_FAILED", message);
}
