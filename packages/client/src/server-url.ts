import { UsageError } from "@toolwire/protocol";

/**
 * Reads the URL of a server. Refuses URLs with credentials: `fetch` cannot send them, other libraries drop them silently,
 * and URLs are shown in many places where a header is not.
 */
export function readServerUrl(given: string | URL, schemes: readonly string[]): URL {
  const url = parseServerUrl(given, schemes);
  if (url !== undefined) return url;
  const message = `Connect to a URL with ${schemes.join(", ")}; ${JSON.stringify(maskUrl(textOf(given)))} is none.`;
  throw new UsageError("INVALID_ARGUMENT", message);
}

/** The same, but returns `undefined` for other values. Reads the text of objects: a `URL` may be of another realm or library. */
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

/** Hides the parts of a URL where secrets may be: everything before the host, and the query. */
export function maskUrl(text: string): string {
  return text.replace(/^.*@|[?#].*$/gs, "…");
}

/** Whether a URL has a user name or a password in front of its host. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

/** The text of a value. An object without `toString` cannot be shown. */
function textOf(given: unknown): string {
  return "toString" in Object(given) ? String(given) : "";
}
