/** Newline-delimited JSON (stdio and anything like it): bytes in, lines of text out, in one pass. */

import type { ProtocolViolation } from "../errors.ts";
import { expectBytes } from "../options.ts";
import { decodeStrictly, type DecodeUtf8, notUtf8, PendingBytes, DEFAULT_MAX_BYTES, tooLarge } from "./frame-bytes.ts";

/** Receives the lines of a {@link LineDecoder}. */
export interface LineSink {
  /** A whole line without its line ending; never empty. */
  line(text: string): void;
  /** A line that had to be dropped: `TOO_LARGE` or `INVALID_UTF8`. The lines after it are delivered as usual. */
  error(error: ProtocolViolation): void;
}

/** The options of {@link createLineDecoder}. */
export interface LineDecoderOptions {
  /**
   * The most bytes of a line, its line ending not counted. A longer one is reported as soon as that is known
   * and never held in memory. Default: 4 MiB.
   */
  maxBytes?: number;
  /**
   * A decoder faster than `TextDecoder`, such as Node's `Buffer.prototype.utf8Slice`. It gets any kind of Uint8Array
   * and must put U+FFFD where the bytes are not UTF-8.
   */
  decode?: DecodeUtf8;
}

/** Cuts a stream of bytes into lines. Not to be called from inside its own sink. */
export interface LineDecoder {
  /** Takes the next bytes, cut anywhere. They may be reused by the caller afterwards. */
  push(chunk: Uint8Array): void;
  /** Delivers a last line that has no line ending, and makes the decoder ready for another stream. */
  end(): void;
}

const LF = 10;
const CR = 13;
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Cuts newline-delimited text into lines. LF and CRLF end a line, empty lines are skipped, and a byte order mark at
 * the very start is dropped. Takes time linear in the bytes, however they are chunked.
 *
 * If the sink throws, the rest of the chunk is still delivered; then the first exception leaves `push` or `end`.
 */
export function createLineDecoder(sink: LineSink, options: LineDecoderOptions = {}): LineDecoder {
  const maxBytes = expectBytes("maxBytes", options.maxBytes, DEFAULT_MAX_BYTES);
  const pending = new PendingBytes();
  let finishedLines = 0;
  let discarding = false;

  function finishLine(chunk: Uint8Array, start: number, end: number): void {
    finishedLines++;
    if (discarding) {
      discarding = false;
    } else if (exceeds(chunk, start, end)) {
      dropLine(finishedLines);
    } else if (pending.length === 0) {
      deliver(chunk, start, end);
    } else {
      pending.append(chunk, start, end);
      const line = pending.take();
      deliver(line, 0, line.length);
    }
  }

  function deliver(bytes: Uint8Array, start: number, endWithReturn: number): void {
    const end = endWithReturn > start && bytes[endWithReturn - 1] === CR ? endWithReturn - 1 : endWithReturn;
    if (end === start) return;
    const text = decodeStrictly(bytes, start, end, options.decode);
    if (text === undefined) return sink.error(notUtf8(`Line ${finishedLines} (${end - start} bytes)`));
    if (finishedLines > 1 || text.charCodeAt(0) !== BYTE_ORDER_MARK) return sink.line(text);
    if (text.length > 1) sink.line(text.slice(1));
  }

  function keep(chunk: Uint8Array, start: number): void {
    if (discarding || start === chunk.length) return;
    if (exceeds(chunk, start, chunk.length)) {
      discarding = true;
      dropLine(finishedLines + 1);
    } else {
      pending.append(chunk, start, chunk.length);
    }
  }

  /** Whether the pending bytes and these are too many, even if the last one turns out to be half a CRLF. */
  function exceeds(chunk: Uint8Array, start: number, end: number): boolean {
    if (start === end) return false;
    const excess = pending.length + (end - start) - maxBytes;
    return excess > 1 || (excess === 1 && chunk[end - 1] !== CR);
  }

  function dropLine(line: number): void {
    pending.clear();
    sink.error(tooLarge(`Line ${line}`, maxBytes, "it was dropped."));
  }

  return {
    push(chunk) {
      let failure: { error: unknown } | undefined;
      let start = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
        try {
          finishLine(chunk, start, end);
        } catch (error) {
          failure ??= { error };
        }
        start = end + 1;
      }
      try {
        keep(chunk, start);
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) throw failure.error;
    },

    end() {
      try {
        if (pending.length > 0) {
          finishedLines++;
          const line = pending.take();
          deliver(line, 0, line.length);
        }
      } finally {
        finishedLines = 0;
        discarding = false;
      }
    },
  };
}
