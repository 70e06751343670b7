/** The text that a model reads if an API refuses a request. */
import { type Clearing, isObject } from "@toolwire/protocol/internal";
import type { HttpResponse } from "../caller/http-caller.ts";
import { readBody, type ResponseBody } from "./body-text.ts";
import { reasonPhrase } from "./reason-phrases.ts";

/** The most characters of a message of an API. */
const MAX_MESSAGE = 300;
/** The most characters of a body that are looked at for a message. */
const MAX_LOOKED_AT = 64 * 1024;

/** `Error: Upstream API returned 404 - City not found`. */
export function describeFailure(response: HttpResponse, clearing: Clearing): string {
  const found = findMessage(readBody(response), clearing);
  // A secret is looked for before white space in it is changed, and before a part of it is cut off.
  const message = found === undefined ? "" : shorten(toOneLine(clearing.text(found)));
  return `Error: Upstream API returned ${response.status} - ${message === "" ? reasonPhrase(response.status) : message}`;
}

function findMessage(body: ResponseBody, clearing: Clearing): string | undefined {
  if (body.kind !== "text" || body.isHtml || /^\s*<(?:!doctype|html)/i.test(body.text)) return undefined;
  const text = clearing.text(body.text);
  if (text.length > MAX_LOOKED_AT || !/^\s*[{["]/.test(text)) return text.slice(0, MAX_LOOKED_AT);
  try {
    return readMessage(JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

/** The first text in the places where APIs put it. Problem details (RFC 9457) have `detail` and `title`. */
function readMessage(error: unknown): string | undefined {
  if (typeof error === "string") return error;
  if (!isObject(error)) return undefined;
  const { message, error: inner, error_description: description, detail, title, errors } = error;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return [
    message,
    isObject(inner) ? inner["message"] : undefined,
    description,
    inner,
    Array.isArray(detail) && detail.length > 0 ? JSON.stringify(detail) : detail,
    title,
    isObject(first) ? first["message"] : undefined,
    first,
  ].find((candidate): candidate is string => typeof candidate === "string" && candidate.trim() !== "");
}

function toOneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
}

function shorten(text: string): string {
  if (text.length <= MAX_MESSAGE) return text;
  // Half of a surrogate pair at the end would not be text.
  return `${text.slice(0, MAX_MESSAGE - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
