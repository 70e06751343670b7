import { PooledSet, type Pooled } from "@toolwire/protocol/internal";
import { encodeComment } from "@toolwire/protocol/framing";
import { releaseTimer, whenReached } from "../../timers.ts";
import type { DisconnectListener, HeaderList, ResponseStream } from "./adapter.ts";

/** The headers of every event stream; the last one keeps reverse proxies from buffering events. */
export const EVENT_STREAM: HeaderList = [
  "Content-Type",
  "text/event-stream",
  "Cache-Control",
  "no-cache, no-transform",
  "X-Accel-Buffering",
  "no",
];

/**
 * Encodes the event that carries a message, whose JSON has no line breaks. The event names its type, although `message` is
 * the default (WHATWG HTML, section 9.2.6): some clients ignore events without one, and then wait for ever.
 */
export function encodeMessageEvent(data: string, id = ""): string {
  return `event: message\n${id && `id: ${id}\n`}data: ${data}\n\n`;
}

/** Carries the messages of one response, one event each. */
export interface MessageStream extends DisconnectListener {
  /** Sends a message. Returns a promise if the client reads too slowly. */
  send(data: string): void | Promise<void>;
  /** Sends the last message, if there is one, and ends the stream. */
  finish(data?: string): void;
}

const KEEP_ALIVE = encodeComment("keep-alive");

/** An event stream on one connection: its queue is bounded, and it is never quiet for long. */
export class EventStream implements MessageStream, Pooled {
  slot: number | undefined = undefined;
  /** Whether nothing was sent since the keep-alive timer last fired. */
  isQuiet = false;
  readonly #out: ResponseStream;
  readonly #keepAlive: KeepAlive;
  readonly #maxQueuedBytes: number;
  #isOpen = true;
  /** Stops waiting for the time at which the stream has to end. */
  #forgetEnd: (() => void) | undefined;

  constructor(out: ResponseStream, keepAlive: KeepAlive, maxQueuedBytes: number) {
    this.#out = out;
    this.#maxQueuedBytes = maxQueuedBytes;
    this.#keepAlive = keepAlive;
    keepAlive.start(this);
  }

  /** Whether the client is connected and the response not complete. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(data: string): void | Promise<void> {
    return this.write(encodeMessageEvent(data));
  }

  finish(data?: string): void {
    this.end(data === undefined ? "" : encodeMessageEvent(data));
  }

  disconnected(): void {
    this.#isOpen = false;
    this.#keepAlive.stop(this);
    this.#forgetEnd?.();
  }

  /** Calls `end` at a time, in milliseconds since 1970, unless the stream has ended before. */
  endAt(time: number | undefined, end: () => void): void {
    if (time !== undefined && this.#isOpen) this.#forgetEnd = whenReached(time, end);
  }

  /** Sends encoded events. Disconnects a client that has not read too many bytes. */
  write(text: string): void | Promise<void> {
    if (!this.#isOpen) return;
    this.isQuiet = false;
    if (this.#out.queuedBytes > this.#maxQueuedBytes) return this.#out.destroy();
    return this.#out.write(text);
  }

  /** Sends a last encoded event, if there is one, and completes the response. */
  end(text = ""): void {
    if (!this.#isOpen) return;
    this.disconnected();
    this.#out.end(text);
  }

  /** Sends a comment if the stream was quiet since the last call. */
  keepAlive(): void {
    // The promise is ignored: if comments are not read, the limit of the queue applies.
    if (this.isQuiet) void this.write(KEEP_ALIVE);
    this.isQuiet = true;
  }
}

/** Sends comments on quiet streams, so that no proxy closes them. */
export interface KeepAlive {
  start(stream: EventStream): void;
  stop(stream: EventStream): void;
}

/**
 * Keeps streams alive with a timer for each. In workers a timer ends with the request in which it was set, and the platform
 * cancels a request that waits for nothing of its own: the timer is what keeps a quiet stream open.
 */
export function keepAliveSeparately(intervalMs: number): KeepAlive {
  const timers = new WeakMap<EventStream, ReturnType<typeof setInterval>>();
  return {
    start(stream) {
      const timer = setInterval(() => stream.keepAlive(), intervalMs);
      timers.set(stream, timer);
      releaseTimer(timer);
    },
    stop: (stream) => clearInterval(timers.get(stream)),
  };
}

/** Keeps streams alive with one timer for all of them: most streams end long before it fires. */
export function keepAliveTogether(intervalMs: number): KeepAlive {
  const streams = new PooledSet<EventStream>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function keepAlive(): void {
    for (const stream of streams.list()) stream.keepAlive();
    // Streams come and go quickly, so the timer runs for a while without any.
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    start(stream) {
      streams.add(stream);
      if (timer !== undefined) return;
      timer = setInterval(keepAlive, intervalMs);
      releaseTimer(timer);
    },
    stop: (stream) => void streams.delete(stream),
  };
}
