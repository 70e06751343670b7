import { hasCredentials } from "../target/server-url.ts";

const MAX_REDIRECTS = 5;

/** Whether a status sends the very same request elsewhere. The other redirects would make a GET of it. */
export function isRedirect(status: number): boolean {
  return status === 307 || status === 308;
}

/** Where the redirect of a request leads; `undefined` if it must not be followed. `step` counts from 1. */
export function redirectTarget(from: URL, location: string | undefined, step: number): URL | undefined {
  return location === undefined || step > MAX_REDIRECTS ? undefined : readAddress(location, from);
}

/** An address that a server names; `undefined` if nothing must be sent there. */
export function readAddress(address: string, from: URL): URL | undefined {
  const target = URL.canParse(address, from) ? new URL(address, from) : undefined;
  // Credentials, session ids and arguments go to the origin they were meant for, and to no other.
  return target?.origin === from.origin && !hasCredentials(target) ? target : undefined;
}
