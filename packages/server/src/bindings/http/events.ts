import type { Rostered } from "@toolwire/protocol/internal";
import { encodeComment } from "@toolwire/protocol/framing";
import type { HeaderList, ResponseStream } from "./adapter.ts";

/**
 * The event that carries a message, whose JSON has no line breaks. It says that it is one, although that goes without
 * saying (WHATWG HTML, section 9.2.6): some clients pass over events that do not, and then wait for ever.
 */
export function encodeMessageEvent(data: string, id = ""): string {
  return `event: message\n${id && `id: ${id}\n`}data: ${data}\n\n`;
}

/**
 * Sends comments on quiet streams, with a timer for each. In workers a timer ends with the request in which it was set, and
 * a request that waits for nothing of its own is taken for hung and cancelled: the timer is what keeps a quiet stream open.
 */
export function keepAliveSeparately(intervalMs: number): KeepAlive {
  return (stream) => {
    const timer = setInterval(() => stream.keepAlive(), intervalMs);
    releaseTimer(timer);
    return () => clearInterval(timer);
  };
}

/** Lets the process exit while a timer runs. In Node a timer is an object that can do so; elsewhere it is a number. */
export function releaseTimer(timer: unknown): void {
  if (typeof timer === "object" && timer !== null) (timer as { unref?(): void }).unref?.();
}

/** Headers of every event stream; the last keeps reverse proxies from holding events back. */
export const EVENT_STREAM: HeaderList = [
  "Content-Type",
  "text/event-stream",
  "Cache-Control",
  "no-cache, no-transform",
  "X-Accel-Buffering",
  "no",
];

/** Where the messages of one answer go, one event each. */
export interface MessageStream {
  /** Sends a message. A promise comes back when the client reads too slowly. */
  send(data: string): void | Promise<void>;
  /** Sends the last message, if there is one, and ends the stream. */
  finish(data?: string): void;
  /** The connection is gone. */
  lost(): void;
}

const KEEP_ALIVE = encodeComment("keep-alive");

/** An event stream on one connection: bounded, and never quiet for long. */
export class EventStream implements MessageStream, Rostered {
  place: number | undefined = undefined;
  /** Whether nothing was sent since the keep-alive timer last looked. */
  isQuiet = false;
  readonly #out: ResponseStream;
  readonly #stopKeepAlive: () => void;
  readonly #maxQueuedBytes: number;
  #open = true;

  constructor(out: ResponseStream, keepAlive: KeepAlive, maxQueuedBytes: number) {
    this.#out = out;
    this.#maxQueuedBytes = maxQueuedBytes;
    this.#stopKeepAlive = keepAlive(this);
  }

  /** Whether the connection is there and the answer not complete. */
  get isOpen(): boolean {
    return this.#open;
  }

  send(data: string): void | Promise<void> {
    return this.write(encodeMessageEvent(data));
  }

  finish(data?: string): void {
    this.end(data === undefined ? "" : encodeMessageEvent(data));
  }

  lost(): void {
    this.#open = false;
    this.#stopKeepAlive();
  }

  /** Sends text that is an event already. A client that has let too much pile up is cut off instead. */
  write(text: string): void | Promise<void> {
    if (!this.#open) return;
    this.isQuiet = false;
    if (this.#out.queuedBytes > this.#maxQueuedBytes) return this.#out.destroy();
    return this.#out.write(text);
  }

  /** Sends a last text, if there is one, and completes the answer. */
  end(text = ""): void {
    if (!this.#open) return;
    this.lost();
    this.#out.end(text);
  }

  keepAlive(): void {
    // Nobody waits for a comment: if it is not read, the limit of the queue takes care of the rest.
    if (this.isQuiet) void this.write(KEEP_ALIVE);
    this.isQuiet = true;
  }
}

/** Sends comments on a stream whenever it is quiet, until what it returns is called. */
export type KeepAlive = (stream: EventStream) => () => void;
