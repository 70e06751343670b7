import type { IncomingMessage, ServerResponse } from "node:http";
import { AdminError, invalid } from "./admin-error.ts";

/** The most that a body may have, unless a route takes more. */
const MAX_BODY_BYTES = 1024 * 1024;

/** A request to the admin API that has passed the guard and the login. */
export interface AdminRequest {
  readonly method: string;
  readonly query: URLSearchParams;
  /** The parts of the path that the route names. */
  readonly params: { readonly [name: string]: string };
  /** The author of the request, for the audit log. */
  readonly actor: string;
  readonly headers: IncomingMessage["headers"];
  /** Ends when the client has gone. */
  readonly signal: AbortSignal;
  /** Whether the caller is still allowed in: a stream outlives the check at its start. */
  readonly isStillAllowed: () => Promise<boolean>;
  /** For routes that write the response themselves. */
  readonly response: ServerResponse;
  /** Reads the body as a JSON object. */
  readBody(maxBytes?: number): Promise<JsonBody>;
}

/** A JSON object that a client sent, with nothing known about its members. */
export type JsonBody = { readonly [name: string]: unknown };

/** Reads the body of a request, which must be a JSON object within the limit. */
export async function readJsonBody(http: IncomingMessage, maxBytes: number = MAX_BODY_BYTES): Promise<JsonBody> {
  const type = http.headers["content-type"] ?? "";
  // Other types can be sent by a form of any web page, without the browser asking first.
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new AdminError(415, "unsupported_media_type", "Send the body as JSON, with Content-Type: application/json.");
  }
  const tooLarge = (): AdminError =>
    new AdminError(413, "too_large", `The body is larger than ${maxBytes} bytes, the most that is taken here.`, {
      connection: "close",
    });
  if (Number(http.headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  // The connection stays open if the loop ends early, so that the error can still be sent.
  for await (const chunk of http.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return parseObject(Buffer.concat(chunks));
}

function parseObject(bytes: Buffer): JsonBody {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw invalid(`The body is not JSON: ${error instanceof Error ? error.message : "it cannot be read"}.`);
  }
  if (!isObject(value)) throw invalid("The body must be a JSON object, such as {}.");
  return value;
}

/** Whether a value is an object, and no list. */
export function isObject(value: unknown): value is JsonBody {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Refuses members that the route does not know: a misspelled name would be ignored otherwise. */
export function allowMembers(body: JsonBody, names: readonly string[]): void {
  const other = Object.keys(body).find((name) => !names.includes(name));
  if (other === undefined) return;
  throw invalid(`The body has a member ${JSON.stringify(other.slice(0, 64))}. It may have: ${names.join(", ")}.`);
}

/** A member that must be a text of 1 to `max` characters. */
export function readText(body: JsonBody, name: string, max: number): string {
  const value = readOptionalText(body, name, max);
  if (value === undefined) throw invalid(`The body lacks ${JSON.stringify(name)}, a text.`);
  return value;
}

/** A member that may be absent, or a text of 1 to `max` characters. */
export function readOptionalText(body: JsonBody, name: string, max: number): string | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw invalid(`${JSON.stringify(name)} must be a text.`);
  if (value === "") throw invalid(`${JSON.stringify(name)} must not be empty.`);
  if (value.length > max) throw invalid(`${JSON.stringify(name)} must have at most ${max} characters.`);
  return value;
}

/** A member that may be absent, or one of some texts. */
export function readChoice<const T extends string>(body: JsonBody, name: string, choices: readonly T[]): T | undefined {
  const value = readOptionalText(body, name, 64);
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw invalid(`${JSON.stringify(name)} must be one of: ${choices.join(", ")}.`);
  return found;
}

/** A member that may be absent, or a list of texts. */
export function readTexts(body: JsonBody, name: string, maxItems: number): readonly string[] | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string" && item !== "")) {
    throw invalid(`${JSON.stringify(name)} must be a list of texts.`);
  }
  if (value.length > maxItems) throw invalid(`${JSON.stringify(name)} must have at most ${maxItems} items.`);
  return value as readonly string[];
}
