import type { Login } from "../login/login.ts";
import { page } from "./page.ts";
import { checkPageUrl, readPending, savePending, takeReturned } from "./pending-logins.ts";

/** The options of {@link redirectLogin}. */
export interface RedirectLoginOptions {
  /** The page of this application that users come back to. It calls {@link completeLogin}. Default: this page. */
  readonly redirectUri?: string | undefined;
}

/**
 * Logs in by leaving the page. The page that the user comes back to calls {@link completeLogin}, and connects again with the
 * same options: the login is finished then. Keep tokens in {@link indexedDbStore} if other pages need them.
 */
export function redirectLogin(options: RedirectLoginOptions = {}): Login {
  return {
    leavesPage: true,
    start: () => ({
      redirectUri: options.redirectUri ?? page().location.origin + page().location.pathname,
      authorize: (url, { server, state, record, signal }) => {
        savePending(state, { server: server.href, record: record(), since: Date.now() });
        page().location.assign(checkPageUrl(url));
        // The page ends before this does; or the user comes back to it by the browser's button, and begins again.
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      },
    }),
    returned(server) {
      completeLogin();
      const login = takeReturned(server.href);
      return login && { record: login.record, response: login.response! };
    },
  };
}

/**
 * Takes the response to a login from the address of this page, and removes it there, so that the code is neither in the history
 * nor in a bookmark. Returns the server that the login is for, to connect to it again; `undefined` if there is no response.
 */
export function completeLogin(href: string = page().location.href): URL | undefined {
  const url = new URL(href);
  const states = url.searchParams.getAll("state");
  const login = states.length === 1 ? readPending(states[0]!) : undefined;
  if (login === undefined) return undefined;
  savePending(states[0]!, { ...login, response: url.search });
  const { history, location } = page();
  if (href === location.href) {
    for (const name of ["code", "state", "iss", "error", "error_description", "error_uri", "session_state"]) {
      url.searchParams.delete(name);
    }
    history.replaceState(history.state, "", url);
  }
  return new URL(login.server);
}
