import { hasCredentials } from "../target/server-url.ts";

const MAX_REDIRECTS = 5;

/**
 * Where an answer sends its request on to; `undefined` if nowhere, or if that must not be followed. `step` counts from
 * 1.
 */
export function redirectTarget(from: URL, status: number, location: string | undefined, step: number): URL | undefined {
  // The other redirects would make a GET of it.
  const isRedirect = status === 307 || status === 308;
  return isRedirect && location !== undefined && step <= MAX_REDIRECTS ? readAddress(location, from) : undefined;
}

/** An address that a server names; `undefined` if nothing must be sent there. */
export function readAddress(address: string, from: URL): URL | undefined {
  const target = URL.canParse(address, from) ? new URL(address, from) : undefined;
  // Behind a proxy that ends TLS, servers call themselves by what they see of it.
  if (target?.host === from.host && from.protocol === "https:") target.protocol = "https:";
  // Credentials, session ids and arguments go to the origin they were meant for, and to no other.
  return target?.origin === from.origin && !hasCredentials(target) ? target : undefined;
}
