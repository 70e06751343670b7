import { UsageError } from "@toolwire/protocol";

/**
 * Reads the URL of a server. One that holds credentials is refused: `fetch` cannot send them, others would drop them
 * without a word, and a URL is shown in many places where a header is not.
 */
export function readServerUrl(given: string | URL, schemes: readonly string[]): URL {
  // What has no words for itself cannot be shown either.
  const text = "toString" in Object(given) ? String(given) : "";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !schemes.includes(url.protocol)) {
    // What was meant as a URL may still hold secrets: before the host, or in the query.
    const shown = JSON.stringify(text.replace(/^.*@|[?#].*$/gs, "…"));
    const message = `Connect to a URL with ${schemes.join(", ")}; ${shown} is none. A program is { command, args }.`;
    throw new UsageError("INVALID_ARGUMENT", message);
  }
  if (hasCredentials(url)) {
    const message = "The URL holds credentials: pass an `authorization` header instead.";
    throw new UsageError("INVALID_ARGUMENT", message);
  }
  return url;
}

/** Whether a URL has a user name or a password in front of its host. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}
