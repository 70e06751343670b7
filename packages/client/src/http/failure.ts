import { AuthError } from "@toolwire/protocol";
import { quoteWords } from "@toolwire/protocol/internal";
import type { Refusal } from "./answer-reader.ts";
import { HttpStatusError } from "./status-error.ts";

/** A URL as errors may name it: credentials are found before the origin, and in the query. */
export function placeOf(url: URL): string {
  return url.origin + url.pathname;
}

/** Quotes the body of a refusal as a sentence for an error message. Cuts it, because its words are untrusted. */
export function wordsOf({ text, error }: Pick<Refusal, "text" | "error">): string {
  const words = error?.error.message ?? text;
  return words && ` It says: ${quoteWords(words)}`;
}

/** What an unsuccessful answer means to whoever asked. */
export function toFailure(refusal: Refusal, url: URL): Error {
  const { status, header } = refusal;
  const detail = wordsOf(refusal);
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

/** Browsers keep to themselves where a redirect leads, and call its status 0. */
function toRedirectFailure(status: number, url: URL, location: string | undefined): HttpStatusError {
  const where =
    location !== undefined && URL.canParse(location, url) ? `to ${placeOf(new URL(location, url))}` : "elsewhere";
  const rule =
    status === 0 ? "Browsers follow none: connect there." : "Only 307 and 308 are followed, to no other origin.";
  return new HttpStatusError(status, `${placeOf(url)} redirects ${where} (HTTP status ${status}). ${rule}`);
}
