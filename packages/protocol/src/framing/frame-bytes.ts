/** The bytes of a frame, whatever the framing: kept until the frame is whole, limited in size, and decoded as UTF-8. */

import { ProtocolViolation } from "../errors.ts";

/** The memory that an idle connection may keep for its next frame, in bytes. */
const KEPT_BYTES = 64 * 1024;

const EMPTY = /* @__PURE__ */ new Uint8Array(0);

/**
 * The bytes of a frame whose end has not arrived yet, in one growing buffer. It doubles when full: a frame that
 * comes in one byte at a time costs linear time, and never more than twice its size, where a list of chunks would
 * cost an object for each byte. Chunks are copied, so that their owner may reuse them.
 */
export class PendingBytes {
  #bytes: Uint8Array = EMPTY;
  #length = 0;

  /** The number of pending bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds `source[start..end)`. */
  append(source: Uint8Array, start: number, end: number): void {
    const length = this.#length + (end - start);
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, this.#bytes.length * 2, 1024));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(source.subarray(start, end), this.#length);
    this.#length = length;
  }

  /** Empties the buffer and returns its bytes, which are valid until the next `append`. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.clear();
    return taken;
  }

  /** Drops all bytes, and frees memory that the next frame probably does not need. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = EMPTY;
  }
}

/** The most bytes of a line or event unless `maxBytes` says otherwise: 4 MiB. */
export const DEFAULT_MAX_BYTES: number = 4 * 1024 * 1024;

/** The error for a frame above the limit. `consequence` says what was dropped with it. */
export function tooLarge(frame: string, maxBytes: number, consequence: string): ProtocolViolation {
  return new ProtocolViolation(
    "TOO_LARGE",
    `${frame} is larger than the limit of ${maxBytes} bytes; ${consequence} To accept it, raise \`maxBytes\`.`,
  );
}

/** Text of `bytes[start..end)`, with U+FFFD in place of bytes that are not UTF-8. `bytes` may be any kind of Uint8Array. */
export type DecodeUtf8 = (bytes: Uint8Array, start: number, end: number) => string;

const REPLACEMENT = "\uFFFD";

// Made when first needed, which in Node may be never. A byte order mark in the middle of a stream is text like any
// other; only the framing knows where a stream starts.
let lenient: TextDecoder | undefined;
let strict: TextDecoder | undefined;

/** Decodes with the platform's `TextDecoder`; the default wherever nothing faster is offered. */
const decodeUtf8: DecodeUtf8 = (bytes, start, end) => {
  lenient ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return lenient.decode(bytes.subarray(start, end));
};

/**
 * Text of `bytes[start..end)`, or undefined if they are not UTF-8. Platforms decode leniently much faster than
 * strictly, so the strict decoder only looks at the rare text that holds a replacement character.
 */
export function decodeStrictly(
  bytes: Uint8Array,
  start: number,
  end: number,
  decode: DecodeUtf8 = decodeUtf8,
): string | undefined {
  const text = decode(bytes, start, end);
  if (!text.includes(REPLACEMENT)) return text;
  try {
    strict ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return strict.decode(bytes.subarray(start, end));
  } catch {
    return undefined;
  }
}

/** The error for a frame that is not UTF-8. */
export function notUtf8(frame: string): ProtocolViolation {
  const message = `${frame} is not UTF-8 and was dropped.`;
  return new ProtocolViolation("INVALID_UTF8", message);
}
