/** The body of a response: text in some charset, or binary data. */
import type { HttpResponse } from "../caller/http-caller.ts";
import { essenceOf, isJsonType } from "../request/media-type.ts";

/** A body as text, or as binary data with its media type. */
export type ResponseBody =
  | { readonly kind: "empty" }
  | { readonly kind: "text"; readonly text: string; readonly isJson: boolean; readonly isHtml: boolean }
  | { readonly kind: "binary"; readonly mimeType: string };

const EMPTY: ResponseBody = { kind: "empty" };

/** Types that are text although they are no `text/…`. */
const TEXT_TYPE =
  /^(?:text\/.*|.*\+xml|application\/(?:xml|javascript|ecmascript|x-ndjson|jsonl|x-www-form-urlencoded|yaml|x-yaml|toml|graphql|sql))$/;
/** Types that are never text, whatever their bytes look like. */
const BINARY_TYPE =
  /^(?:image|audio|video|font)\/|^application\/(?:octet-stream|pdf|zip|gzip|x-tar|x-7z-compressed|protobuf|x-protobuf|cbor|msgpack|wasm|vnd\.ms-.*|vnd\.openxmlformats-.*)$/;

/** Reads a body. Invalid bytes of a text become U+FFFD; a byte order mark is no part of it. */
export function readBody({ headers, body }: HttpResponse): ResponseBody {
  if (body.length === 0) return EMPTY;
  const contentType = headers["content-type"] ?? "";
  const essence = essenceOf(contentType);
  const isJson = isJsonType(essence);
  // SVG is text and an image, and models read it as text.
  if (isJson || TEXT_TYPE.test(essence)) return textBody(decode(body, contentType), isJson, essence);
  if (BINARY_TYPE.test(essence)) return { kind: "binary", mimeType: essence };
  // The type is absent or unknown: what is valid UTF-8 without NUL is text.
  const text = body.includes(0) ? undefined : decodeStrictly(body);
  if (text !== undefined) return textBody(text, /^\s*[{[]/.test(text), essence);
  return { kind: "binary", mimeType: essence === "" ? "application/octet-stream" : essence };
}

function textBody(text: string, isJson: boolean, essence: string): ResponseBody {
  if (text === "") return EMPTY;
  return { kind: "text", text, isJson, isHtml: essence === "text/html" || essence === "application/xhtml+xml" };
}

const UTF8 = new TextDecoder();

/** Decodes a text: by its byte order mark, else by its declared charset, else as UTF-8 (WHATWG Encoding, "decode"). */
function decode(bytes: Uint8Array, contentType: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const charset = /;\s*charset\s*=\s*"?([\w-]{1,40})/i.exec(contentType)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset) || bytes[0] === 0xef) return UTF8.decode(bytes);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return UTF8.decode(bytes);
  }
}

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
