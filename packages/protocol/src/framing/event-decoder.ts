/** Reads server-sent events (WHATWG HTML, section 9.2), as the Streamable HTTP binding uses them. */

import { createParser, type EventSourceParser } from "eventsource-parser";
import type { ProtocolViolation } from "../errors.ts";
import { expectBytes } from "../options.ts";
import { decodeStrictly, type DecodeUtf8, DEFAULT_MAX_BYTES, notUtf8, PendingBytes, tooLarge } from "./frame-bytes.ts";

/** One event as it was received. */
export interface ServerSentEvent {
  /** The position to resume from after this event; absent if the event has none of its own. */
  id?: string | undefined;
  /** The kind of event; absent means `message`. */
  event?: string | undefined;
  /** The payload, with LF between lines. */
  data: string;
}

/** Receives the events of {@link createEventDecoder}. */
export interface EventSink {
  /** A whole event, including one that only carries an id (its data is then empty). */
  event(event: ServerSentEvent): void;
  /** The time to wait before reconnecting, in milliseconds. */
  retry(ms: number): void;
  /** `INVALID_UTF8`: one event was dropped. `TOO_LARGE`: that event and all that follows it are ignored. */
  error(error: ProtocolViolation): void;
}

/** The options of {@link createEventDecoder}. */
export interface EventDecoderOptions {
  /** The most bytes in the lines of one event, comments and line endings not counted. Default: 4 MiB. */
  maxBytes?: number;
  /** A decoder faster than `TextDecoder`; the same as for `createLineDecoder`. */
  decode?: DecodeUtf8 | undefined;
}

/** Cuts a stream of bytes into events. Not to be called from inside its own sink. */
export interface EventDecoder {
  /** Takes the next bytes, cut anywhere. They may be reused by the caller afterwards. */
  push(chunk: Uint8Array): void;
  /** Drops an event that has no empty line after it, as the standard asks, and gets ready for another stream. */
  end(): void;
}

const LF = 10;
const CR = 13;
const COLON = 58;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Reads server-sent events. CR, LF and CRLF all end a line at once, and time is linear in the bytes, however they are
 * chunked. If the sink throws, the rest of the chunk is still delivered; then the first exception leaves `push`.
 *
 * `eventsource-parser` reads the fields. It takes text and bounds only a part of it, so this stands in front of it: it finds the
 * lines in the bytes, counts them, skips comments without keeping them, drops an event that is not UTF-8 and goes on, and hands
 * each line over with a LF, because version 3 of the parser takes quadratic time for text that is nothing but CR.
 */
export function createEventDecoder(sink: EventSink, options: EventDecoderOptions = {}): EventDecoder {
  const maxBytes = expectBytes("maxBytes", options.maxBytes, DEFAULT_MAX_BYTES);
  const fields = new FieldReader(sink);
  const pending = new PendingBytes();
  /** The bytes of the finished lines of the event that is being read. */
  let eventBytes = 0;
  let endedWithReturn = false;
  let isInComment = false;
  let hasOverflown = false;

  function finishLine(chunk: Uint8Array, start: number, end: number): void {
    if (hasOverflown) return;
    if (isInComment || (pending.length === 0 && chunk[start] === COLON && end > start)) {
      isInComment = false;
      fields.skip();
      return;
    }
    const size = pending.length + (end - start);
    if (size === 0) {
      eventBytes = 0;
      fields.endEvent();
      return;
    }
    if (eventBytes + size > maxBytes) return overflow();
    eventBytes += size;
    if (pending.length === 0) return readLine(chunk, start, end);
    pending.append(chunk, start, end);
    const line = pending.take();
    readLine(line, 0, line.length);
  }

  function readLine(bytes: Uint8Array, start: number, end: number): void {
    if (fields.isDropping) return;
    const line = decodeStrictly(bytes, start, end, options.decode);
    if (line === undefined) fields.drop(notUtf8("A server-sent event"));
    else fields.read(line);
  }

  /** Keeps the beginning of a line for the next chunk; a comment is skipped instead, and costs no memory. */
  function keep(chunk: Uint8Array, start: number): void {
    if (hasOverflown || isInComment || start === chunk.length) return;
    if (pending.length === 0 && chunk[start] === COLON) {
      isInComment = true;
    } else if (eventBytes + pending.length + (chunk.length - start) > maxBytes) {
      overflow();
    } else {
      pending.append(chunk, start, chunk.length);
    }
  }

  function overflow(): void {
    hasOverflown = true;
    pending.clear();
    eventBytes = 0;
    fields.drop(tooLarge("A server-sent event", maxBytes, "the rest of the stream is ignored."));
  }

  return {
    push(chunk) {
      if (hasOverflown || chunk.length === 0) return;
      let start = endedWithReturn && chunk[0] === LF ? 1 : 0;
      endedWithReturn = false;
      // Searches for either again only once it has been passed: a chunk of nothing but CR would take quadratic time.
      let lf = chunk.indexOf(LF, start);
      let cr = chunk.indexOf(CR, start);
      while (lf !== -1 || cr !== -1) {
        const end = lf === -1 || (cr !== -1 && cr < lf) ? cr : lf;
        finishLine(chunk, start, end);
        start = end + 1;
        if (end === cr) {
          if (start === lf) start++;
          endedWithReturn = start === chunk.length && lf !== end + 1;
          cr = chunk.indexOf(CR, start);
        }
        if (lf !== -1 && lf < start) lf = chunk.indexOf(LF, start);
      }
      keep(chunk, start);
      fields.rethrow();
    },

    end() {
      pending.clear();
      eventBytes = 0;
      endedWithReturn = isInComment = hasOverflown = false;
      fields.startStream();
    },
  };
}

/** Reads the lines of events with `eventsource-parser`, one at a time. */
class FieldReader {
  readonly #sink: EventSink;
  readonly #parser: EventSourceParser = createParser({
    onEvent: ({ id, event, data }) => this.#attempt(() => this.#sink.event({ id, event, data })),
    onRetry: (ms) => {
      if (Number.isSafeInteger(ms)) this.#attempt(() => this.#sink.retry(ms));
    },
  });
  #isFirstLine = true;
  /** Whether a line of the event was not UTF-8, so that the others are not read. */
  #isDropped = false;
  #hasId = false;
  #hasData = false;
  #failure: { error: unknown } | undefined;

  constructor(sink: EventSink) {
    this.#sink = sink;
  }

  /** Whether the rest of the event is left out. */
  get isDropping(): boolean {
    return this.#isDropped;
  }

  read(line: string): void {
    const text = this.#isFirstLine && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
    this.#isFirstLine = false;
    this.#hasData ||= isField(text, "data");
    this.#hasId ||= isField(text, "id") && !text.includes("\0");
    this.#parser.feed(`${text}\n`);
  }

  /** Passes over a line that is a comment. */
  skip(): void {
    this.#isFirstLine = false;
  }

  endEvent(): void {
    // The parser, as the standard, delivers no event without data. Its id still counts, however, and the event that opens a
    // 2025-11-25 stream has nothing but an id (basic/transports, "Sending Messages to the Server").
    if (!this.#isDropped) this.#parser.feed(this.#hasId && !this.#hasData ? "data\n\n" : "\n");
    this.#isFirstLine = this.#isDropped = this.#hasId = this.#hasData = false;
  }

  /** Reports an error, and leaves out the event in which it occurred. */
  drop(error: ProtocolViolation): void {
    this.#parser.reset();
    this.#isDropped = true;
    this.#attempt(() => this.#sink.error(error));
  }

  startStream(): void {
    this.#parser.reset();
    this.#isFirstLine = true;
    this.#isDropped = this.#hasId = this.#hasData = false;
  }

  /** Throws what the sink has thrown since the last time. */
  rethrow(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  /** Delivers to the sink, and keeps the first exception until the chunk has been read. */
  #attempt(deliver: () => void): void {
    try {
      deliver();
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}

/** Whether a line is a field of this name, with a value or without. */
function isField(line: string, name: "data" | "id"): boolean {
  return line.startsWith(name) && (line.length === name.length || line.charCodeAt(name.length) === COLON);
}
