import { UsageError } from "@toolwire/protocol";

/**
 * Reads the URL of a server. One that holds credentials is refused: `fetch` cannot send them, others would drop them
 * without a word, and a URL is shown in many places where a header is not.
 */
export function readServerUrl(given: string | URL, schemes: readonly string[]): URL {
  const url = parseServerUrl(given, schemes);
  if (url !== undefined) return url;
  const message = `Connect to a URL with ${schemes.join(", ")}; ${JSON.stringify(maskUrl(textOf(given)))} is none.`;
  throw new UsageError("INVALID_ARGUMENT", message);
}

/** The same, but `undefined` for what is no such URL. It may be of another realm or library: its text tells. */
export function parseServerUrl(given: unknown, schemes: readonly string[]): URL | undefined {
  const text = textOf(given);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !schemes.includes(url.protocol)) return undefined;
  if (hasCredentials(url)) {
    const message = "The URL holds credentials: pass an `authorization` header instead.";
    throw new UsageError("INVALID_ARGUMENT", message);
  }
  return url;
}

/** What was meant as a URL, without the places where secrets may be: before the host, and in the query. */
export function maskUrl(text: string): string {
  return text.replace(/^.*@|[?#].*$/gs, "…");
}

/** Whether a URL has a user name or a password in front of its host. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

/** What has no words for itself cannot be shown either. */
function textOf(given: unknown): string {
  return "toString" in Object(given) ? String(given) : "";
}
