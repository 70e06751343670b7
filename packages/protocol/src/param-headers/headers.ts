/**
 * Header fields that repeat parts of a request (2026-07-28, Streamable HTTP, "Value Encoding"): `Mcp-Name` and
 * `Mcp-Param-*`. The client writes them, the server compares them with the body.
 */

import { UsageError } from "../errors.ts";
import { quote } from "../messages/quote.ts";
import type { ParamHeader } from "./annotations.ts";

const SENTINEL_START = "=?base64?";
const SENTINEL_END = "?=";

// Tab is legal in a header, but intermediaries fold it; values with one are sent as base64 like other control characters.
const PLAIN = /^[ -~]*$/;
const FIELD_VALUE = /^[\t -~]*$/;

/**
 * The text to send in a header for a value: the value itself if it is plain ASCII, or else base64 between `=?base64?`
 * and `?=`. Throws a `UsageError` for a number that is not a safe integer and for half of a surrogate pair: the other
 * side could compare neither.
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

/** The arguments of a tool call. */
type Arguments = Readonly<Record<string, unknown>> | undefined;

/**
 * The headers to send along with a tool call. An argument that is null or absent has none. Throws a `UsageError` for
 * a value that cannot be in a header, which the tool's schema does not allow either.
 */
export function writeParamHeaders(annotations: readonly ParamHeader[], args: Arguments): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const annotation of annotations) {
    const value = valueAt(args, annotation.path);
    if (value === undefined) continue;
    if (!isScalar(value)) {
      throw new UsageError(
        "INVALID_ARGUMENT",
        `The argument "${annotation.path.join(".")}" must be of type ${annotation.type}, because it is also sent as a header.`,
      );
    }
    headers[headerName(annotation)] = encodeHeaderValue(value);
  }
  return headers;
}

/**
 * The message of the `HeaderMismatch` error for a tool call; undefined if its headers match its arguments.
 * `getHeader` must look names up without regard to case, as `Headers.get` does.
 */
export function findParamHeaderProblem(
  annotations: readonly ParamHeader[],
  args: Arguments,
  getHeader: (name: string) => string | undefined,
): string | undefined {
  for (const annotation of annotations) {
    const value = valueAt(args, annotation.path);
    const header = getHeader(headerName(annotation));
    const problem = header === undefined ? missing(value) : mismatch(value, header);
    if (problem !== undefined) {
      return `Header mismatch: ${headerName(annotation)} ${problem} of the argument "${annotation.path.join(".")}".`;
    }
  }
  return undefined;
}

function missing(value: unknown): string | undefined {
  // A list or object has no header to send; the validation of arguments explains that better than a header error.
  return isScalar(value) ? `is missing; it must repeat the value ${quote(value)}` : undefined;
}

function mismatch(value: unknown, header: string): string | undefined {
  const text = decodeHeaderValue(header);
  if (text === undefined) {
    return `has the malformed value ${quote(header)}; it must be plain ASCII or =?base64?...?= to repeat the value`;
  }
  if (value === undefined) return `is ${quote(text)}, which contradicts the absence`;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return "cannot repeat the value, an unsafe integer,";
  return isScalar(value) && isSame(value, text) ? undefined : `is ${quote(text)}, not the value ${quote(value)}`;
}

function isSame(value: string | number | boolean, text: string): boolean {
  if (String(value) === text) return true;
  // Numerically, as the specification asks; but `Number` alone would take "", "0x2A" and much else for a number.
  return typeof value === "number" && /^-?\d+(?:\.0+)?$/.test(text) && Number(text) === value;
}

/** The argument at a path, where null counts as absent. */
function valueAt(args: Arguments, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  return value ?? undefined;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function headerName(annotation: ParamHeader): string {
  return `Mcp-Param-${annotation.header}`;
}

/** The member of `params` that the `Mcp-Name` header repeats, by method (2026-07-28). */
export const NAME_HEADER_MEMBERS: ReadonlyMap<string, "name" | "uri"> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);
