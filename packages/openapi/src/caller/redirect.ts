/** Redirects that may be followed: within one origin, of requests that read. */
import type { HttpMethod } from "../request/request-spec.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The path that a redirect leads to. `undefined` if the response is no redirect, or one that is not followed. */
export function findRedirect(
  method: HttpMethod,
  origin: string,
  path: string,
  status: number,
  location: string | undefined,
): string | undefined {
  if (!REDIRECTS.has(status) || (method !== "GET" && method !== "HEAD") || location === undefined) return undefined;
  const base = origin + path;
  if (!URL.canParse(location, base)) return undefined;
  const target = new URL(location, base);
  // A user name in the URL would be a credential that somebody else chose.
  if (target.origin !== origin || target.username !== "" || target.password !== "") return undefined;
  return target.pathname + target.search;
}
