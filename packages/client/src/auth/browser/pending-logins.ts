import { AuthError } from "@toolwire/protocol";
import { isSecureUrl } from "../network/zones.ts";
import { page } from "./page.ts";

/** A login that has left the page, as it waits in the storage of the tab. */
export interface PendingLogin {
  readonly server: string;
  readonly record: string;
  readonly since: number;
  /** The query of the page that the user came back to. */
  readonly response?: string | undefined;
}

const PREFIX = "toolwire-login:";

/** How long a login may take. */
const MAX_AGE_MS = 10 * 60_000;

/** Keeps a login under its `state`, for this tab only. */
export function savePending(state: string, login: PendingLogin): void {
  forgetOld();
  page().sessionStorage.setItem(PREFIX + state, JSON.stringify(login));
}

/** The login with this `state`, if it was begun in this tab a short time ago. */
export function readPending(state: string): PendingLogin | undefined {
  const text = page().sessionStorage.getItem(PREFIX + state);
  const login = text === null ? undefined : (JSON.parse(text) as PendingLogin);
  return login !== undefined && Date.now() - login.since <= MAX_AGE_MS ? login : undefined;
}

/** Takes the login of a server whose response has come. It is used once. */
export function takeReturned(server: string): PendingLogin | undefined {
  for (const key of pendingKeys()) {
    const login = readPending(key.slice(PREFIX.length));
    if (login?.response === undefined || login.server !== server) continue;
    page().sessionStorage.removeItem(key);
    return login;
  }
  return undefined;
}

function forgetOld(): void {
  for (const key of pendingKeys()) {
    if (readPending(key.slice(PREFIX.length)) === undefined) page().sessionStorage.removeItem(key);
  }
}

function pendingKeys(): string[] {
  return Array.from(
    { length: page().sessionStorage.length },
    (_, index) => page().sessionStorage.key(index) ?? "",
  ).filter((key) => key.startsWith(PREFIX));
}

/** Checks a URL before the browser goes there: the scheme `javascript:` would run in this page. */
export function checkPageUrl(url: URL): URL {
  if (isSecureUrl(url)) return url;
  throw new AuthError(
    "INSECURE_URL",
    "The page for the login must be an https URL, or an http URL of this machine. It was not opened.",
  );
}
