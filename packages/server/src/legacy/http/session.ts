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
import type { ConnectionLink, ServerBinding, ServerConnection } from "../../binding.ts";
import { type MessageStream, releaseTimer } from "../../bindings/http/events.ts";
import type { EventStore, StoredEvent } from "./event-store.ts";
import { SessionStream } from "./session-stream.ts";

/** What all sessions of one endpoint share. */
export interface SessionSetting {
  readonly serving: ServerBinding;
  readonly store: EventStore | undefined;
  readonly retryDelay: number;
  readonly maxStreams: number;
}

/** A request in the works. */
export interface OpenAnswer {
  /** Whether its client is there to be answered. */
  readonly isConnected: boolean;
  /** Stops the work. If nothing was sent yet, the client gets this status. */
  cancel(reason: string, status?: number): void;
}

/** How long what is on its way into the event store is waited for, once its session has ended. */
const MAX_STORING_MS = 10_000;

const NO_WORK: Exchange = { cancel() {} };

/**
 * One client of the legacy era: what it has asked, what it was asked, and the streams that reach it. There may be
 * thousands of them doing nothing, so everything that an idle one can do without is made when it is needed.
 */
export class HttpSession implements ConnectionLink {
  /** Whoever knows it is this client, so it must not be guessable. Visible ASCII, as the header demands. */
  readonly id: string = crypto.randomUUID();
  /** The caller that opened the session, and the only one that may use it. */
  readonly principal: string | undefined;
  /** Who is counted for the session: that caller, or else the network that it was opened from, if it is known. */
  readonly caller: string | undefined;
  /** When the client was last heard of. */
  lastSeen: number = performance.now();
  readonly state: ServerConnection;
  /** What gives up on the event store, which may never answer, for each client that waits for it. */
  readers: Set<(reason: Error) => void> | undefined;
  readonly #setting: SessionSetting;
  #answers: IdTable<OpenAnswer> | undefined;
  #asked: PendingExchanges | undefined;
  /** Streams of requests that may still be resumed. */
  #streams: Map<string, SessionStream> | undefined;
  /** Streams that carry what belongs to no request; the latest comes last. */
  #standalone: SessionStream[] | undefined;
  #streamCount = 0;
  /** Events on their way into a store that takes its time. */
  #storing: Set<Promise<void>> | undefined;

  constructor(setting: SessionSetting, principal: string | undefined, caller: string | undefined) {
    this.#setting = setting;
    this.principal = principal;
    this.caller = caller;
    this.state = setting.serving.openConnection(this);
  }

  get store(): EventStore | undefined {
    return this.#setting.store;
  }

  /** How many milliseconds the client should wait before it reconnects. */
  get retryDelay(): number {
    return this.#setting.retryDelay;
  }

  /**
   * Whether streams begin with an event that carries an id and nothing else, to come back with. Clients before 2025-11-25
   * take such an event for a fault.
   */
  get primesStreams(): boolean {
    return this.store !== undefined && (this.state.revision ?? "") >= "2025-11-25";
  }

  /** Whether a client is connected at this moment. */
  get isConnected(): boolean {
    for (const answer of this.#answers?.list() ?? []) if (answer.isConnected) return true;
    return this.#standalone?.some((stream) => stream.isConnected) ?? false;
  }

  // What the client asks.

  isAnswering(id: RequestId): boolean {
    return this.#answers?.get(id) !== undefined;
  }

  addAnswer(id: RequestId, answer: OpenAnswer): void {
    (this.#answers ??= new IdTable()).set(id, answer);
  }

  removeAnswer(id: RequestId): void {
    this.#answers?.delete(id);
    this.lastSeen = performance.now();
  }

  /**
   * The client no longer wants an answer. Ids of no open request are ignored. One that a cancellation has overtaken on its way
   * runs: there are bridges that cancel under ids of another numbering, whose later requests must not be stopped by that.
   */
  cancel(id: RequestId, reason: string): void {
    this.#answers?.get(id)?.cancel(reason);
  }

  // What the client is asked and told.

  notify(message: NotificationMessage): void | Promise<void> {
    return this.#reach()?.send(encodeMessage(message));
  }

  /** Asks the client, on the stream of the request that makes it necessary, or on a standalone one. */
  exchange(request: RequestMessage, sink: ExchangeSink, stream: MessageStream | undefined = this.#reach()): Exchange {
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

  /** Hands an answer of the client to whoever asked, or returns what is wrong with it. */
  settle(response: ResponseMessage): ProtocolViolation | undefined {
    return (this.#asked ??= new PendingExchanges()).settle(response);
  }

  /** Takes note of what was no message. If it was a broken answer, nobody should wait for it in vain. */
  hearMalformed(error: MalformedMessage): void {
    if (!error.mayAnswer) this.#asked?.fail(error.id, error);
  }

  /** Whether the client was asked something under this id. */
  hasAsked(id: RequestId): boolean {
    return this.findAsked(id) !== undefined;
  }

  /** What was asked under this id, which is also its progress token. */
  findAsked(id: RequestId): ExchangeSink | undefined {
    return this.#asked?.find(id);
  }

  // Streams.

  /** A stream for the answer to a POST. */
  createPostStream(): SessionStream {
    return new SessionStream(this, `p${(this.#streamCount += 1)}`);
  }

  /** Keeps a stream for clients that come back, until it is finished. */
  keepStream(stream: SessionStream): void {
    if (this.store !== undefined) (this.#streams ??= new Map()).set(stream.key, stream);
  }

  /** Nothing more will be sent on a stream. */
  finished(stream: SessionStream): void {
    this.#streams?.delete(stream.key);
  }

  /** A stream for what belongs to no request. Those that lost their connection make room for it. */
  openStandaloneStream(): SessionStream {
    const stream = new SessionStream(this, `g${(this.#streamCount += 1)}`);
    const connected = this.#standalone?.filter((other) => other.isTaken) ?? [];
    while (connected.length >= this.#setting.maxStreams) connected.shift()?.finish();
    connected.push(stream);
    this.#standalone = connected;
    return stream;
  }

  /** A stream that is not finished. */
  findStream(key: string): SessionStream | undefined {
    return this.#streams?.get(key) ?? this.#standalone?.find((stream) => stream.key === key);
  }

  /** Keeps an event of a stream. A promise that never fails comes back from a store that takes its time. */
  keepEvent(stream: string, event: StoredEvent): Promise<void> | undefined {
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

  /** The kept events of a stream that follow a place in it. */
  async eventsAfter(stream: string, after: number): Promise<readonly StoredEvent[]> {
    return (await this.store?.after(this.id, stream, after)) ?? [];
  }

  /** Events could not be stored, or not be read. */
  storeFailed(error: unknown): void {
    this.#setting.serving.diagnose({
      level: "error",
      message: "The event store failed; a client that reconnects will miss an event.",
      error,
    });
  }

  /** Ends the streams that belong to no request. */
  endStreams(): void {
    for (const stream of this.#standalone ?? []) stream.finish();
    this.#standalone = undefined;
  }

  /**
   * Ends everything. Requests that wait for a JSON answer get the status. Not a 404: by that their client would know that
   * nobody has looked at them, and send them again, to be done twice. Resolves when the event store has forgotten it.
   */
  close(status = 410): Promise<void> {
    this.state.close();
    for (const answer of this.#answers?.list() ?? []) answer.cancel("the session ended", status);
    const ended = new TransportError("CLOSED", "The session ended before the answer came.");
    this.#asked?.failAll(ended);
    for (const giveUp of this.readers ?? []) giveUp(ended);
    this.endStreams();
    this.#answers = this.#asked = this.#streams = undefined;
    return this.#forget();
  }

  /** What is on its way into the store comes first, or it would stay there for ever; but there are stores that never answer. */
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
   * The one stream that gets a message which belongs to no request: none may go to several. A stream that has just lost
   * its connection still counts where events are kept, since the client will come back to it.
   */
  #reach(): SessionStream | undefined {
    const latest = this.store && this.#standalone?.at(-1);
    return this.#standalone?.findLast((stream) => stream.isConnected) ?? latest;
  }
}

function unreachable(method: string): TransportError {
  const message = `The client cannot be asked (${method}): it takes no event stream and has opened none.`;
  return new TransportError("CONNECT_FAILED", message);
}
