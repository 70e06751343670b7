import { AuthError, TransportError } from "@toolwire/protocol";
import type { Refusal } from "./answer-reader.ts";
import { HttpStatusError } from "./status-error.ts";

/** A URL as errors may name it: credentials are found before the origin, and in the query. */
export function placeOf(url: URL): string {
  return url.origin + url.pathname;
}

/**
 * What an unsuccessful answer means to whoever asked. `inSession` says that it may be about the session, rather than about
 * the request, which it does not name.
 */
export function toFailure({ status, header, text, error }: Refusal, url: URL, inSession: boolean): Error {
  const said = error?.error;
  // The page of whoever refused often has the reason. Its words are untrusted: quoted, and cut.
  const words = said?.message ?? (text && JSON.stringify(text.slice(0, 200)));
  const detail = words && ` It says: ${words}`;
  if (inSession && isSessionGone(status, words, said?.code)) {
    return new TransportError("SESSION_EXPIRED", `${url.origin} does not know this session.${detail}`);
  }
  if (status === 401 || status === 403) {
    const challenge = header("www-authenticate");
    return status === 401
      ? new AuthError("UNAUTHORIZED", `${url.origin} wants credentials, or other ones.${detail}`, { challenge })
      : new AuthError("FORBIDDEN", `${url.origin} refuses access.${detail}`, { challenge });
  }
  if (status === 413) return new HttpStatusError(status, `${url.origin} finds this request too large.${detail}`);
  if (status < 400) return toRedirectFailure(status, url, header("location"));
  return new HttpStatusError(status, `${placeOf(url)} answered with HTTP status ${status}.${detail}`);
}

/**
 * Whether a server has forgotten the session of a request. Many do not say 404, as the spec wants it: some say 400, the
 * official example by the code -32000 and others in words, and some 401.
 */
function isSessionGone(status: number, words: string, code: number | undefined): boolean {
  if (status === 400) return code === -32_000 || /session/i.test(words);
  return status === 404 || (status === 401 && /session not found/i.test(words));
}

/** Browsers keep to themselves where a redirect leads, and call its status 0. */
function toRedirectFailure(status: number, url: URL, location: string | undefined): HttpStatusError {
  const where =
    location !== undefined && URL.canParse(location, url) ? `to ${placeOf(new URL(location, url))}` : "elsewhere";
  const rule =
    status === 0 ? "Browsers follow none: connect there." : "Only 307 and 308 are followed, to no other origin.";
  return new HttpStatusError(status, `${placeOf(url)} redirects ${where} (HTTP status ${status}). ${rule}`);
}
