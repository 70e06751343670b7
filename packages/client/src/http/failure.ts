import { AuthError, parseMessage, TransportError, UsageError, type ErrorMessage } from "@toolwire/protocol";
import type { HttpRequest } from "./port.ts";
import { HttpStatusError } from "./status-error.ts";

/** The JSON-RPC error in the body of an unsuccessful answer, where there is one. */
export function readErrorBody(text: string): ErrorMessage | undefined {
  try {
    const message = parseMessage(text);
    return "error" in message ? message : undefined;
  } catch {
    return undefined;
  }
}

/** A URL as errors may name it: credentials are found before the origin, and in the query. */
export function placeOf(url: URL): string {
  return url.origin + url.pathname;
}

/** What an unsuccessful answer means to whoever asked. */
export function toFailure(status: number, url: URL, text: string, inSession: boolean, location?: string): Error {
  const said = readErrorBody(text)?.error.message;
  const detail = said === undefined ? "" : ` It says: ${said}`;
  if (status === 401) return new AuthError("UNAUTHORIZED", `${url.origin} wants credentials, or other ones.${detail}`);
  if (status === 403) return new AuthError("FORBIDDEN", `${url.origin} refuses access.${detail}`);
  if (status === 404 && inSession) {
    return new TransportError("SESSION_EXPIRED", `${url.origin} does not know this session any more.${detail}`);
  }
  if (status === 413) return new HttpStatusError(status, `${url.origin} finds this request too large.${detail}`);
  // Browsers keep a redirect to themselves, and call its status 0.
  if (status === 0 || (status >= 300 && status <= 399)) return toRedirectFailure(status, url, location);
  return new HttpStatusError(
    status,
    `${placeOf(url)} answered with HTTP status ${status}, which no MCP server does here.${detail}`,
  );
}

function toRedirectFailure(status: number, url: URL, location: string | undefined): HttpStatusError {
  const where =
    location !== undefined && URL.canParse(location, url) ? `to ${placeOf(new URL(location, url))}` : "elsewhere";
  const rule = "That is followed a few times, and to no other origin";
  const message = `${placeOf(url)} redirects ${where} (HTTP status ${status}). ${rule}: if it is right, connect there.`;
  return new HttpStatusError(status, message);
}

/** What a successful answer means that does not hold the response it was sent for. */
export function toNoAnswer(status: number, url: URL, contentType: string | undefined, text: string): HttpStatusError {
  const got = `HTTP status ${status}, content type ${contentType ?? "(none)"} and a body that begins ${JSON.stringify(text.slice(0, 80))}`;
  return new HttpStatusError(status, `${placeOf(url)} answered with ${got}: that is no JSON-RPC response.`);
}

/** Why a request could not be sent, or what came back not be read. */
export function toSendFailure({ url, headers }: HttpRequest, cause: unknown): Error {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[^\t -~\x80-\xff]/.test(value)) continue;
    // The value may be a secret, so it is not repeated.
    const message = `HTTP cannot carry the header ${JSON.stringify(name)}: a character in its name or value is forbidden.`;
    return new UsageError("INVALID_ARGUMENT", message, { cause });
  }
  return new TransportError("CONNECTION_LOST", `The connection to ${url.origin} failed.`, { cause });
}
