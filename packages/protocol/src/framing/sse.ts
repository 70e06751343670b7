/** Server-sent events (WHATWG HTML, section 9.2), as the Streamable HTTP binding uses them: writing and reading. */

import { createParser } from "eventsource-parser";
import { UsageError, type ProtocolViolation } from "../errors.ts";
import { decodeStrictly, type DecodeUtf8, notUtf8, PendingBytes, DEFAULT_MAX_BYTES, tooLarge } from "./frame-bytes.ts";
import { expectBytes } from "../options.ts";

/** One event as it was received. */
export interface ServerSentEvent {
  /** Where to resume from after this event; absent if the event has none of its own. */
  id?: string | undefined;
  /** The kind of event; absent means `message`. */
  event?: string | undefined;
  /** The payload, with LF between lines. */
  data: string;
}

/** What can be written as one event. */
export interface EventToEncode {
  /** Where a client can resume from after this event. */
  id?: string;
  /** The kind of event; `message` if absent. */
  event?: string;
  /** The payload. Its line breaks, of whatever kind, arrive as LF. */
  data?: string;
  /** How many milliseconds a client should wait before it reconnects. */
  retry?: number;
}

/** Where {@link createEventDecoder} delivers. */
export interface EventSink {
  /** A whole event, including one that only carries an id (its data is then empty). */
  event(event: ServerSentEvent): void;
  /** The time to wait before reconnecting, in milliseconds. */
  retry(ms: number): void;
  /** `INVALID_UTF8`: one event was dropped. `TOO_LARGE`: that event and all that follows it are ignored. */
  error(error: ProtocolViolation): void;
}

/** How {@link createEventDecoder} reads. */
export interface EventDecoderOptions {
  /** How many bytes the lines of one event may have, comments and line endings not counted. Default: 4 MiB. */
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

const LINE_BREAK = /\r\n|\r|\n/;
const FORBIDDEN_IN_FIELD = /[\r\n\0]/;

/** The text of one event. Throws a `UsageError` for an id, event name or retry time that cannot be represented. */
export function encodeEvent(event: EventToEncode): string {
  const head =
    (event.event === undefined ? "" : encodeField("event", event.event)) +
    (event.id === undefined ? "" : encodeField("id", event.id)) +
    (event.retry === undefined ? "" : encodeRetry(event.retry));
  return head + (event.data === undefined ? "\n" : encodeData(event.data));
}

/** The text of an event that is nothing but its payload. */
export function encodeData(data: string): string {
  // JSON text has no line breaks, so nearly every event leaves here.
  if (!data.includes("\n") && !data.includes("\r")) return `data: ${data}\n\n`;
  return `data: ${data.split(LINE_BREAK).join("\ndata: ")}\n\n`;
}

/** The text of a comment, which keeps a quiet stream from being closed and is never delivered as an event. */
export function encodeComment(text: string): string {
  return `: ${text.split(LINE_BREAK).join("\n: ")}\n\n`;
}

function encodeField(name: "event" | "id", value: string): string {
  if (FORBIDDEN_IN_FIELD.test(value)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The ${name} ${JSON.stringify(value)} of a server-sent event contains a line break or NUL, which would end or ` +
        "void the field; encode it first or choose another.",
    );
  }
  return `${name}: ${value}\n`;
}

function encodeRetry(ms: number): string {
  if (!Number.isSafeInteger(ms) || ms < 0) {
    throw new UsageError("INVALID_ARGUMENT", `retry is ${ms}, but must be a whole number of milliseconds, at least 0.`);
  }
  return `retry: ${ms}\n`;
}

const LF = 10;
const CR = 13;
const COLON = 58;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Reads server-sent events. What a field means is `eventsource-parser`'s business; here bytes are cut into lines,
 * so that sizes are exact and checked before anything is kept, CR, LF and CRLF all end a line at once, and time is
 * linear however the bytes are chunked. Comments cost no memory.
 *
 * If the sink throws, the rest of the chunk is still delivered; then the first exception leaves `push`.
 */
export function createEventDecoder(sink: EventSink, options: EventDecoderOptions = {}): EventDecoder {
  const maxBytes = expectBytes("maxBytes", options.maxBytes, DEFAULT_MAX_BYTES);
  const pending = new PendingBytes();
  let failure: { error: unknown } | undefined;
  let isFirstLine = true;
  let endedWithReturn = false;
  let inComment = false;
  let overflown = false;
  /** Of the event being read: the bytes of its finished lines, which fields it has, whether it must be dropped. */
  let eventBytes = 0;
  let hasId = false;
  let hasData = false;
  let spoiled = false;

  // The parser would be left in the middle of an event by an exception, so none may pass through it.
  const parser = createParser({
    onEvent: (event) => attempt(() => sink.event(event)),
    onRetry: (ms) => {
      if (Number.isSafeInteger(ms)) attempt(() => sink.retry(ms));
    },
  });

  function attempt(deliver: () => void): void {
    try {
      deliver();
    } catch (error) {
      failure ??= { error };
    }
  }

  function finishLine(chunk: Uint8Array, start: number, end: number): void {
    if (overflown) return;
    if (inComment || (pending.length === 0 && chunk[start] === COLON && end > start)) {
      inComment = false;
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
    if (spoiled) return;
    let text = decodeStrictly(bytes, start, end, options.decode);
    if (text === undefined) {
      spoiled = true;
      return attempt(() => sink.error(notUtf8("A server-sent event")));
    }
    if (isFirstLine && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    isFirstLine = false;
    hasData ||= isField(text, "data");
    hasId ||= isField(text, "id") && !text.includes("\0");
    parser.feed(`${text}\n`);
  }

  function finishEvent(): void {
    // The standard says nothing happens for an event without data. Its id still counts, however, and the event that
    // opens a 2025-11-25 stream has nothing but an id (basic/transports, "Sending Messages to the Server").
    if (spoiled) parser.reset();
    else parser.feed(hasId && !hasData ? "data\n\n" : "\n");
    startEvent();
  }

  function startEvent(): void {
    isFirstLine = false;
    eventBytes = 0;
    hasId = hasData = spoiled = false;
  }

  function keep(chunk: Uint8Array, start: number): void {
    if (overflown || inComment || start === chunk.length) return;
    if (pending.length === 0 && chunk[start] === COLON) {
      inComment = true;
    } else if (eventBytes + pending.length + (chunk.length - start) > maxBytes) {
      overflow();
    } else {
      pending.append(chunk, start, chunk.length);
    }
  }

  function overflow(): void {
    overflown = true;
    pending.clear();
    parser.reset();
    attempt(() => sink.error(tooLarge("A server-sent event", maxBytes, "the rest of the stream is ignored.")));
  }

  return {
    push(chunk) {
      if (overflown || chunk.length === 0) return;
      let start = endedWithReturn && chunk[0] === LF ? 1 : 0;
      endedWithReturn = false;
      // Each is searched again only once it has been passed, or a chunk of nothing but CR would take quadratic time.
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
      parser.reset();
      startEvent();
      isFirstLine = true;
      endedWithReturn = inComment = overflown = false;
    },
  };
}

function isField(line: string, name: string): boolean {
  return line.startsWith(name) && (line.length === name.length || line.charCodeAt(name.length) === COLON);
}
