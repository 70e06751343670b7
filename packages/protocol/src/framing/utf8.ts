/** Bytes to text, strict about UTF-8 at the price of a lenient decoder. */

import { ProtocolViolation } from "../errors.ts";

/** Text of `bytes[start..end)`, with U+FFFD in place of what is not UTF-8. `bytes` may be any kind of Uint8Array. */
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

/** What to report for a frame that is not UTF-8. */
export function notUtf8(frame: string): ProtocolViolation {
  const message = `${frame} is not UTF-8 and was dropped.`;
  return new ProtocolViolation("INVALID_UTF8", message);
}
