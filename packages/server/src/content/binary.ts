import { UsageError } from "@toolwire/protocol";
import { describeKind } from "@toolwire/protocol/internal";

/** The number of bytes that can safely be spread into the arguments of one function call. */
const CHUNK = 0x2000;

/** Base64 of bytes. */
export function toBase64(data: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < data.length; start += CHUNK) {
    binary += String.fromCharCode(...data.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}

/** Base64 that needs no escaping in a URL or a header, without padding (RFC 4648, section 5). */
export function toBase64Url(data: Uint8Array): string {
  return toBase64(data).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Decodes text of {@link toBase64Url}. Returns `undefined` for other text. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/**
 * The form that `format: byte` of the protocol's schema means (RFC 4648, section 4): padded, and without white space.
 * Clients that check it refuse the whole result otherwise. The time is linear, because nothing but `=` can follow the
 * first part.
 */
const BASE64 = /^[A-Za-z\d+/]*={0,2}$/;

/** Matches the beginnings of relative paths, Windows paths and home directories, and file extensions. */
const PATH = /^(?:\.{1,2}[/\\]|~\/|[a-z]:[/\\])|\.\w{1,5}$/i;

/** The longest text that may be a path. */
const MAX_PATH = 1000;

/** The most characters of a refused text that an error quotes. */
const MAX_QUOTED = 60;

/**
 * Writes binary data as base64. Text must be base64 already.
 *
 * @throws UsageError for anything else, with the likely mistake; `taker` says where it was given
 */
export function encodeBinary(taker: string, data: Uint8Array | string): string {
  if (typeof data === "string") {
    if (data.length % 4 === 0 && BASE64.test(data)) return data;
    throw refusal(taker, `${quote(data)} ${describeText(data)}`);
  }
  // `instanceof` fails for a `Uint8Array` of another realm, which test runners create.
  if (describeKind(data) === "a Uint8Array") return toBase64(data);
  throw refusal(taker, `what was given ${describeOther(data)}`);
}

function refusal(taker: string, problem: string): UsageError {
  return new UsageError("INVALID_ARGUMENT", `${taker} takes bytes or base64, but ${problem}.`);
}

function describeText(text: string): string {
  if (/^data:/i.test(text)) return "looks like a data: URL: pass only what follows the comma";
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(text)) return "looks like a URL: fetch it first, and pass the bytes";
  if (text.length <= MAX_PATH && PATH.test(text)) return "looks like a path: read the file first, and pass the bytes";
  if (/\s/.test(text)) return "holds white space, which base64 on the wire must not have: remove it";
  if (/^[\w-]*={0,2}$/.test(text) && /[-_]/.test(text)) return 'is base64url: use the alphabet with "+" and "/"';
  const index = text.search(/[^A-Za-z\d+/]/);
  if (index === -1 || BASE64.test(text)) {
    return `has ${text.length} characters, no multiple of 4: its padding is missing, or a part of it`;
  }
  return `has ${JSON.stringify(String.fromCodePoint(text.codePointAt(index) ?? 0))} at index ${index}, where base64 cannot have it`;
}

function describeOther(value: unknown): string {
  const kind = describeKind(value);
  if (kind === "a promise") return `is ${kind}: await it first`;
  return kind === "an ArrayBuffer" ? `is ${kind}: wrap it, as in new Uint8Array(buffer)` : `is ${kind}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}
