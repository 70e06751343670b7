import { encodeEvent } from "@toolwire/protocol/framing";
import { encodeMessageEvent, type EventStream, type MessageStream } from "../../bindings/http/events.ts";
import type { HttpSession } from "./session.ts";

/**
 * A stream of a session (2025-11-25, "Resumability and Redelivery"). It outlives the connection that carries it: messages
 * that are sent while the client is disconnected wait in the event store, until it reconnects with the id of the last event
 * that it has seen.
 */
export class SessionStream implements MessageStream {
  /** Identifies the stream in its session; the first letter says whether a GET or a POST opened it. */
  readonly key: string;
  readonly #session: HttpSession;
  /** The connection that carried the stream first. */
  #first: EventStream | undefined;
  /** The connection that carries the stream now. */
  #connection: EventStream | undefined;
  /** The sequence number of the latest event. */
  #sequence = 0;
  /** How often the stream was resumed. */
  #resumptions = 0;
  /** How many resumptions are under way. */
  #resuming = 0;
  #isFinished = false;
  /** Text that is sent ahead of the first event. */
  #opening = "";
  /** Resolves when the latest events are in an asynchronous store. */
  #storing: Promise<void> | undefined;

  constructor(session: HttpSession, key: string) {
    this.#session = session;
    this.key = key;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether a connection carries the stream, or is about to. */
  get isTaken(): boolean {
    return this.isConnected || this.#resuming > 0;
  }

  /** Lets a connection carry this stream from now on, and ends the one before. */
  attach(connection: EventStream): void {
    this.#disconnect();
    if (!connection.isOpen) return;
    this.#first ??= connection;
    this.#connection = connection;
    if (this.#isFinished) this.#disconnect();
  }

  /**
   * Prepares an event that carries an id and no message, so that the client can reconnect even if the connection breaks at
   * once, and the time that it should wait before it does.
   */
  prime(): void {
    this.#opening = encodeOpening(this.#session, this.key, this.#sequence);
  }

  /** Sends the prepared event at once, rather than along with the first message. */
  flush(): void {
    if (this.#opening !== "") void this.#connection?.write(this.#takeOpening());
  }

  send(data: string): void | Promise<void> {
    if (this.#isFinished) return;
    const event = this.#record(data, this.isConnected);
    return this.#connection?.write(this.#takeOpening() + event);
  }

  finish(data?: string): void {
    if (this.#isFinished) return;
    const event = data === undefined ? encodeEnd(this.#session) : this.#record(data, this.isConnected);
    this.#isFinished = true;
    this.#disconnect(this.#takeOpening() + event);
    // Until the last event is stored, only the stream itself knows that there is one to wait for.
    if (this.#storing === undefined) this.#session.removeStream(this);
    else void this.#storing.then(() => this.#session.removeStream(this));
  }

  /** Ends the connection but not the stream: the client reconnects for the rest. */
  suspend(retryDelay: number): void {
    this.#disconnect(this.#takeOpening() + encodeEvent({ retry: retryDelay }));
    if (!this.#isFinished) this.#session.noteDetached(this);
  }

  /** Lets go of the connection, which the client has left. */
  abandon(): void {
    this.#disconnect();
  }

  /** The client has disconnected from the response that opened the stream. */
  disconnected(): void {
    if (this.#first !== undefined) this.detach(this.#first);
  }

  /** A connection is lost. Another one may carry the stream by now. */
  detach(connection: EventStream): void {
    connection.disconnected();
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    if (!this.#isFinished) this.#session.noteDetached(this);
  }

  /**
   * Sends all events that follow a sequence number on a new connection, which then carries the stream. `before` sends other
   * events ahead of them.
   */
  async resume(connection: EventStream, after: number, before?: () => Promise<unknown>): Promise<void> {
    this.#disconnect();
    const resumption = (this.#resumptions += 1);
    let sent = after;
    this.#resuming += 1;
    try {
      await before?.();
      // A client that has missed nothing does not need the store, which may fail, or be slow.
      while (sent < this.#sequence && connection.isOpen) {
        // Messages that are sent meanwhile go to the store only, and are read from there in the next round.
        const latest = this.#sequence;
        await this.#storing;
        // Events that the store has dropped are not waited for.
        sent = Math.max(latest, await replay(this.#session, this.key, sent, connection));
      }
    } finally {
      this.#resuming -= 1;
    }
    // A client that has reconnected once more meanwhile has given this connection up.
    if (resumption === this.#resumptions) this.attach(connection);
    else connection.end();
  }

  #disconnect(last?: string): void {
    this.#connection?.end(last);
    this.#connection = undefined;
  }

  /** Stores a message, and returns the event that carries it. */
  #record(data: string, isSent: boolean): string {
    if (this.#session.store === undefined) return encodeMessageEvent(data);
    const sequence = (this.#sequence += 1);
    const stored = this.#session.storeEvent(this.key, isSent ? { sequence, data } : { sequence, data, isUnsent: true });
    if (stored !== undefined) this.#storing = Promise.all([this.#storing, stored]).then(() => undefined);
    return encodeMessageEvent(data, writeEventId(this.key, sequence));
  }

  #takeOpening(): string {
    const opening = this.#opening;
    this.#opening = "";
    return opening;
  }
}

/** Encodes the event that {@link SessionStream.prime} prepares; empty for clients that would fail on it. */
function encodeOpening(session: HttpSession, stream: string, sequence: number): string {
  if (!session.primesStreams) return "";
  return encodeEvent({ id: writeEventId(stream, sequence), retry: session.retryDelay, data: "" });
}

/** Stores and encodes a stream on which only one message is ever sent: the response to a POST. */
export function encodeWholeStream(session: HttpSession, data: string): string {
  if (session.store === undefined) return encodeMessageEvent(data);
  const stream = session.createStreamKey("POST");
  void session.storeEvent(stream, { sequence: 1, data });
  return encodeOpening(session, stream, 0) + encodeMessageEvent(data, writeEventId(stream, 1));
}

/** Sends the stored events of a stream that follow a sequence number, and returns that of the last one. */
export async function replay(
  session: HttpSession,
  stream: string,
  after: number,
  connection: EventStream,
): Promise<number> {
  const events = await session.eventsAfter(stream, after);
  for (const { sequence, data } of events) {
    await connection.write(encodeEvent({ event: "message", id: writeEventId(stream, sequence), data }));
  }
  return events.at(-1)?.sequence ?? after;
}

/** A position in a stream. */
export interface EventId {
  /** The key of the stream. */
  readonly stream: string;
  /** Whether a GET has opened the stream, for messages that belong to no request. */
  readonly isStandalone: boolean;
  readonly sequence: number;
}

/** Event ids name their stream, so that nothing else is needed to find it again. */
function writeEventId(stream: string, sequence: number): string {
  return `${stream}-${sequence}`;
}

/** Reads an event id; `undefined` if this server has not written it. */
export function readEventId(id: string): EventId | undefined {
  const match = /^([gp]\d{1,15})-(\d{1,15})$/.exec(id);
  if (match === null) return undefined;
  const [, stream = "", sequence] = match;
  return { stream, isStandalone: stream.startsWith("g"), sequence: Number(sequence) };
}

/** Whether an event id, if there is one, names a stream that a POST has opened. */
export function isPostStream(id = ""): boolean {
  return id.startsWith("p");
}

/**
 * Encodes the end of a stream without a last message, which comes with that of the process. Clients come back after different times:
 * otherwise all of them would open a stream elsewhere at the same moment.
 */
function encodeEnd(session: HttpSession): string {
  if (!session.primesStreams) return "";
  return encodeEvent({ retry: Math.round(session.retryDelay * (1 + Math.random())) });
}
