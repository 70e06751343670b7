import { UsageError } from "@toolwire/protocol";

/**
 * Reads the URL of a server. Throws a `UsageError` for other schemes, and for a URL that holds credentials: `fetch` cannot
 * send them, other libraries would silently drop them, and URLs are shown in many places where headers are not.
 */
export function readServerUrl(given: string | URL, schemes: readonly string[]): URL {
  const url = parseServerUrl(given, schemes);
  if (url !== undefined) return url;
  const message = `Connect to a URL with ${schemes.join(", ")}; ${JSON.stringify(maskUrl(textOf(given)))} is none.`;
  throw new UsageError("INVALID_ARGUMENT", message);
}

/** The same, but `undefined` for anything else. URL objects of other realms or libraries are read by their text. */
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

/** Removes the parts of a URL that may hold secrets: everything before the host, and the query. */
export function maskUrl(text: string): string {
  return text.replace(/^.*@|[?#].*$/gs, "…");
}

/** Whether a URL has a user name or a password in front of its host. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

/** The text of a value; empty for objects without `toString`. */
function textOf(given: unknown): string {
  return "toString" in Object(given) ? String(given) : "";
}
