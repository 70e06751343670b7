import type { RequestHead } from "../bindings/admission/options.ts";

/** An access token, and the scheme it came with. */
export interface Credentials {
  readonly scheme: "Bearer" | "DPoP";
  readonly token: string;
}

/** The most characters of a token. */
const MAX_TOKEN = 8 * 1024;

/** A token in a header (RFC 6750, section 2.1, `b64token`). */
const TOKEN = /^[\w.~+/-]+=*$/;

/**
 * Reads the value of an `Authorization` header. `undefined` if it has another scheme, which is as if there were no token;
 * `"malformed"` if it has not exactly one token of a possible form.
 */
export function readCredentials(header: string): Credentials | "malformed" | undefined {
  const end = header.indexOf(" ");
  const name = (end === -1 ? header : header.slice(0, end)).toLowerCase();
  const scheme = name === "bearer" ? "Bearer" : name === "dpop" ? "DPoP" : undefined;
  if (scheme === undefined) return header.includes(",") && /bearer|dpop/i.test(header) ? "malformed" : undefined;
  if (end === -1 || header.length > MAX_TOKEN + name.length + 16) return "malformed";
  const token = header.slice(end).trim();
  return token.length <= MAX_TOKEN && TOKEN.test(token) ? { scheme, token } : "malformed";
}

/**
 * Whether a request has a token where none may be: in the query, where logs and other servers see it (MCP, "Token Requirements").
 */
export function hasTokenInQuery({ target }: RequestHead): boolean {
  const query = target.indexOf("?");
  return query !== -1 && new URLSearchParams(target.slice(query)).has("access_token");
}

/** Whether a request has several `Authorization` headers. Node shows the first only; a proxy may have looked at another one. */
export function hasSeveralTokens({ raw }: RequestHead): boolean {
  const { rawHeaders } = (raw ?? {}) as { readonly rawHeaders?: unknown };
  if (!Array.isArray(rawHeaders)) return false;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name: unknown = rawHeaders[index];
    if (typeof name === "string" && name.length === 13 && name.toLowerCase() === "authorization") count += 1;
  }
  return count > 1;
}
