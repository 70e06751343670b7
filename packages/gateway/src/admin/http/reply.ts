import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AdminError } from "./admin-error.ts";
import type { ErrorView } from "../views.ts";

/** The answer of a route: JSON, text, or nothing because it has written the response itself. */
export type Reply =
  | { readonly status?: number; readonly json: unknown; readonly headers?: { readonly [name: string]: string } }
  | { readonly text: string; readonly type: string }
  | "empty"
  | "written";

/** Success, and nothing to say. */
export const EMPTY: Reply = "empty";

/** The route has written the response itself. */
export const WRITTEN: Reply = "written";

/** Headers of every response: nothing is embedded, guessed, kept or told to others. */
const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
} as const;

/**
 * The content policy of the page and of everything else on its origin: own scripts and styles only, no frames, and no text that
 * becomes markup, even by mistake (trusted types).
 */
const CONTENT_POLICY =
  "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

/** Sets the headers that every response of the admin listener has. */
export function setSafeHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
  response.setHeader("content-security-policy", CONTENT_POLICY);
}

/**
 * Writes the reply of a route. JSON that the client has already is answered with 304. `clear` takes secrets out of every value,
 * whatever route it comes from.
 */
export function writeReply(
  http: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  clear: (value: unknown) => unknown = (value) => value,
): void {
  if (reply === "written") return;
  response.setHeader("cache-control", "no-store");
  if (reply === "empty") {
    response.writeHead(204).end();
    return;
  }
  if ("text" in reply) {
    response.writeHead(200, { "content-type": reply.type, "content-length": Buffer.byteLength(reply.text) });
    response.end(reply.text);
    return;
  }
  const body = Buffer.from(JSON.stringify(clear(reply.json)));
  const tag = reply.headers?.["etag"] ?? `"${digest(body)}"`;
  const isRead = http.method === "GET" || http.method === "HEAD";
  if (isRead && matches(http.headers["if-none-match"], tag)) {
    response.writeHead(304, { etag: tag }).end();
    return;
  }
  response.writeHead(reply.status ?? 200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": body.length,
    ...(isRead ? { etag: tag } : {}),
    ...reply.headers,
  });
  response.end(body);
}

/** Writes an error. If the response has begun, it is cut off, so that nobody takes it for complete. */
export function writeError(response: ServerResponse, error: AdminError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { code, message, problems } = error;
  const view: ErrorView = { error: { code, message, ...(problems === undefined ? {} : { problems }) } };
  const body = JSON.stringify(view);
  response.writeHead(error.status, {
    "cache-control": "no-store",
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    ...error.headers,
  });
  response.end(body);
}

/** A short digest of bytes, for entity tags. */
export function digest(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
}

function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((each) => each.trim().replace(/^W\//, "") === tag);
}
