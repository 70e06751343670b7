import { AuthError, parseMessage, TransportError, type ErrorMessage } from "@toolwire/protocol";
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

/** What an unsuccessful answer means to whoever asked. */
export function toFailure(status: number, url: URL, text: string, inSession: boolean): Error {
  const said = readErrorBody(text)?.error.message;
  const detail = said === undefined ? "" : ` It says: ${said}`;
  if (status === 401) return new AuthError("UNAUTHORIZED", `${url.origin} wants credentials, or other ones.${detail}`);
  if (status === 403) return new AuthError("FORBIDDEN", `${url.origin} refuses access.${detail}`);
  if (status === 404 && inSession) {
    return new TransportError("SESSION_EXPIRED", `${url.origin} does not know this session any more.${detail}`);
  }
  if (status === 413) return new HttpStatusError(status, `${url.origin} finds this request too large.${detail}`);
  return new HttpStatusError(
    status,
    `${url.href} answered with HTTP status ${status}, which no MCP server does here.${detail}`,
  );
}
