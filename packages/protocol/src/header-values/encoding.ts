/** Values in HTTP headers (2026-07-28, Streamable HTTP, "Value Encoding"), for `Mcp-Name` and `Mcp-Param-*`. */

import { UsageError } from "../errors.ts";

const SENTINEL_START = "=?base64?";
const SENTINEL_END = "?=";

// Tab is legal in a header, but intermediaries fold it; values with one are sent as base64 like other control characters.
const PLAIN = /^[ -~]*$/;
const FIELD_VALUE = /^[\t -~]*$/;

/**
 * The text to send in a header for a value: the value itself if it is plain ASCII, or else base64 between `=?base64?`
 * and `?=`. Throws a `UsageError` for a number that is not a safe integer and for half of a surrogate pair, neither
 * of which the other side could compare.
 */
export function encodeHeaderValue(value: string | number | boolean): string {
  const text = String(value);
  const isNoInteger = typeof value === "number" && !Number.isSafeInteger(value);
  if (isNoInteger || /\p{Surrogate}/u.test(text)) {
    const why = isNoInteger ? "it is no integer below 2^53" : "it holds half of a surrogate pair";
    const shown = isNoInteger ? text : JSON.stringify(text);
    throw new UsageError("INVALID_ARGUMENT", `${shown} cannot be sent in a header: ${why}.`);
  }
  if (PLAIN.test(text) && text.trim() === text && !isSentinel(text)) return text;
  return SENTINEL_START + toBase64(new TextEncoder().encode(text)) + SENTINEL_END;
}

/**
 * The value that a header stands for, or undefined if no conforming client sends it: characters outside ASCII, or
 * between `=?base64?` and `?=` anything but padded base64 of UTF-8.
 */
export function decodeHeaderValue(header: string): string | undefined {
  if (!FIELD_VALUE.test(header)) return undefined;
  // White space around a field value is not part of it (RFC 9110, section 5.5).
  const text = header.trim();
  if (!isSentinel(text) || text.length < SENTINEL_START.length + SENTINEL_END.length) return text;
  const base64 = text.slice(SENTINEL_START.length, -SENTINEL_END.length);
  try {
    const binary = atob(base64);
    // `atob` forgives missing padding and white space; encoding again tells.
    if (btoa(binary) !== base64) return undefined;
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isSentinel(text: string): boolean {
  return text.startsWith(SENTINEL_START) && text.endsWith(SENTINEL_END);
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
