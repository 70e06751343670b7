import { encodeEvent } from "@toolwire/protocol/framing";
import { encodeMessageEvent, type EventStream, type MessageStream } from "../../bindings/http/events.ts";
import type { HttpSession } from "./session.ts";

/**
 * A stream of a session (2025-11-25, "Resumability and Redelivery"). It outlives the connection that carries it: what is
 * sent while the client is away waits in the event store until it comes back with the id of the last event it has seen.
 */
export class SessionStream implements MessageStream {
  /** Tells the stream from others of its session; the first letter says whether a GET or a POST opened it. */
  readonly key: string;
  readonly #session: HttpSession;
  #first: EventStream | undefined;
  #connection: EventStream | undefined;
  /** The place of the latest event. */
  #sequence = 0;
  #resumptions = 0;
  /** How many of them are not over. */
  #resuming = 0;
  #finished = false;
  /** What the client gets ahead of the first event. */
  #opening = "";
  /** The latest events on their way into a store that takes its time. */
  #storing: Promise<void> | undefined;

  constructor(session: HttpSession, key: string) {
    this.#session = session;
    this.key = key;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether a connection carries it, or is about to. */
  get isTaken(): boolean {
    return this.isConnected || this.#resuming > 0;
  }

  /** Lets a connection carry this stream from now on; one that did before is ended. */
  attach(connection: EventStream): void {
    this.#disconnect();
    if (!connection.isOpen) return;
    this.#first ??= connection;
    this.#connection = connection;
    if (this.#finished) this.#disconnect();
  }

  /**
   * Gives the client an event id before there is any event, so that it can come back even if the connection breaks at
   * once, and the time it should wait before it does.
   */
  prime(): void {
    if (!this.#session.primesStreams) return;
    this.#opening = encodeEvent({
      id: writeEventId(this.key, this.#sequence),
      retry: this.#session.retryDelay,
      data: "",
    });
  }

  /** Sends what was prepared at once, rather than along with the first event. */
  flush(): void {
    if (this.#opening !== "") void this.#connection?.write(this.#takeOpening());
  }

  send(data: string): void | Promise<void> {
    if (this.#finished) return;
    const event = this.#record(data);
    return this.#connection?.write(this.#takeOpening() + event);
  }

  finish(data?: string): void {
    if (this.#finished) return;
    const event = data === undefined ? "" : this.#record(data);
    this.#finished = true;
    this.#disconnect(this.#takeOpening() + event);
    // Until its last event is stored, only the stream itself knows that there is one to wait for.
    if (this.#storing === undefined) this.#session.finished(this);
    else void this.#storing.then(() => this.#session.finished(this));
  }

  /** The text of the whole stream, if this is all that is ever sent on it. */
  encodeLone(data: string): string {
    this.#finished = true;
    return this.#takeOpening() + this.#record(data, true);
  }

  /** Ends the connection but not the stream: the client will come back for the rest. */
  suspend(retryDelay: number): void {
    this.#disconnect(this.#takeOpening() + encodeEvent({ retry: retryDelay }));
  }

  /** The connection that first carried the stream is gone. */
  lost(): void {
    if (this.#first !== undefined) this.detach(this.#first);
  }

  /** A connection is gone. Another may have taken its place before anybody noticed. */
  detach(connection: EventStream): void {
    connection.lost();
    if (this.#connection === connection) this.#connection = undefined;
  }

  /** Sends everything after a place in the stream on a new connection, which then carries the stream. */
  async resume(connection: EventStream, after: number, before?: () => Promise<unknown>): Promise<void> {
    this.#disconnect();
    const turn = (this.#resumptions += 1);
    let sent = after;
    this.#resuming += 1;
    try {
      await before?.();
      // Who has missed nothing yet can do without the store, which may fail, or take its time.
      while (sent < this.#sequence && connection.isOpen) {
        // What is sent meanwhile goes to the store alone, and is read from there in the next round.
        const latest = this.#sequence;
        await this.#storing;
        // Events that the store no longer has are not waited for.
        sent = Math.max(latest, await replay(this.#session, this.key, sent, connection));
      }
    } finally {
      this.#resuming -= 1;
    }
    // A client that has come back once more meanwhile has given this connection up.
    if (turn === this.#resumptions) this.attach(connection);
    else connection.end();
  }

  #disconnect(last?: string): void {
    this.#connection?.end(last);
    this.#connection = undefined;
  }

  /** Stores a message and gives the event that carries it. */
  #record(data: string, isSent = this.isConnected): string {
    if (this.#session.store === undefined) return encodeMessageEvent(data);
    const sequence = (this.#sequence += 1);
    const stored = this.#session.keepEvent(this.key, { sequence, data, ...(!isSent && { isUnsent: true }) });
    if (stored !== undefined) this.#storing = Promise.all([this.#storing, stored]).then(nothing);
    return encodeMessageEvent(data, writeEventId(this.key, sequence));
  }

  #takeOpening(): string {
    const opening = this.#opening;
    this.#opening = "";
    return opening;
  }
}

function nothing(): void {}

/** Sends the kept events of a stream that follow a place in it, and returns the place of the last one. */
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

/** Event ids name their stream, so that nothing else is needed to find it again. */
function writeEventId(stream: string, sequence: number): string {
  return `${stream}-${sequence}`;
}

/** Takes an event id apart; `undefined` if it is none of ours. */
export function readEventId(id: string): { readonly stream: string; readonly sequence: number } | undefined {
  const match = /^([gp]\d{1,15})-(\d{1,15})$/.exec(id);
  return match === null ? undefined : { stream: match[1] ?? "", sequence: Number(match[2]) };
}
