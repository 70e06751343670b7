/** Reads server-sent events (WHATWG HTML, section 9.2), as the Streamable HTTP binding uses them. */

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
const SPACE = 32;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Reads server-sent events. CR, LF and CRLF all end a line at once, and time is linear in the bytes, however they are
 * chunked. If the sink throws, the rest of the chunk is still delivered; then the first exception leaves `push`.
 *
 * This is own code because `eventsource-parser`, which bounds its buffer since version 3.1, takes text. Its limit counts
 * characters instead of bytes, and only those of `data` and of an unfinished line: an `id` or `event` is not counted. It
 * cannot drop one event that is not UTF-8 and go on, delivers no event that has an id but no data, and is left in the
 * middle of an event if a callback throws. Version 3 takes quadratic time for text that is nothing but CR; version 4
 * does not run in Node 20.
 */
export function createEventDecoder(sink: EventSink, options: EventDecoderOptions = {}): EventDecoder {
  const maxBytes = expectBytes("maxBytes", options.maxBytes, DEFAULT_MAX_BYTES);
  const pending = new PendingBytes();
  let failure: { error: unknown } | undefined;
  let isFirstLine = true;
  let endedWithReturn = false;
  let isInComment = false;
  let hasOverflown = false;
  // The event being read: the bytes of its finished lines, its fields, and whether it has to be dropped.
  let eventBytes = 0;
  let id: string | undefined;
  let event: string | undefined;
  let data: string | undefined;
  let isDropped = false;

  /** Delivers to the sink, and keeps the first exception until the chunk has been read. */
  function attempt(deliver: () => void): void {
    try {
      deliver();
    } catch (error) {
      failure ??= { error };
    }
  }

  function finishLine(chunk: Uint8Array, start: number, end: number): void {
    if (hasOverflown) return;
    if (isInComment || (pending.length === 0 && chunk[start] === COLON && end > start)) {
      isInComment = false;
      isFirstLine = false;
      return;
    }
    const size = pending.length + (end - start);
    if (size === 0) return finishEvent();
    if (eventBytes + size > maxBytes) return overflow();
    eventBytes += size;
    if (pending.length === 0) return readLine(chunk, start, end);
    pending.append(chunk, start, end);
    const line = pending.take();
    readLine(line, 0, line.length);
  }

  function readLine(bytes: Uint8Array, start: number, end: number): void {
    if (isDropped) return;
    let line = decodeStrictly(bytes, start, end, options.decode);
    if (line === undefined) {
      isDropped = true;
      return attempt(() => sink.error(notUtf8("A server-sent event")));
    }
    if (isFirstLine && line.startsWith(BYTE_ORDER_MARK)) line = line.slice(1);
    isFirstLine = false;
    const colon = line.indexOf(":");
    if (colon === -1) return readField(line, "");
    readField(line.slice(0, colon), line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1));
  }

  /** Section 9.2.6: names are case-sensitive, and unknown fields are ignored. */
  function readField(name: string, value: string): void {
    if (name === "data") data = data === undefined ? value : `${data}\n${value}`;
    else if (name === "event") event = value === "" ? undefined : value;
    else if (name === "id" && !value.includes("\0")) id = value;
    else if (name === "retry" && /^\d+$/.test(value) && Number.isSafeInteger(Number(value))) {
      attempt(() => sink.retry(Number(value)));
    }
  }

  function finishEvent(): void {
    // The standard delivers no event without data. Its id still counts, however, and the event that opens a 2025-11-25
    // stream has nothing but an id (basic/transports, "Sending Messages to the Server").
    if (!isDropped && (data !== undefined || id !== undefined)) {
      const finished: ServerSentEvent = { id, event, data: data ?? "" };
      attempt(() => sink.event(finished));
    }
    startEvent();
  }

  function startEvent(): void {
    isFirstLine = false;
    eventBytes = 0;
    id = event = data = undefined;
    isDropped = false;
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
    startEvent();
    attempt(() => sink.error(tooLarge("A server-sent event", maxBytes, "the rest of the stream is ignored.")));
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
      if (failure !== undefined) {
        const { error } = failure;
        failure = undefined;
        throw error;
      }
    },

    end() {
      pending.clear();
      startEvent();
      isFirstLine = true;
      endedWithReturn = isInComment = hasOverflown = false;
    },
  };
}
