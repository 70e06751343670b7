/** The response of an authorization server: the URL that the user came back to, its query, or the parameters in it. */
export type LoginResponse = string | URL | URLSearchParams;

/** A login that is about to begin, for those who show it to a user. */
export interface LoginRequest {
  /** The MCP server. */
  readonly server: URL;
  /** The authorization server on whose page the user logs in. Show its name: a server can name any. */
  readonly issuer: string;
  /** The resource that the token is for. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** The value of `state` that the response must have. Ignore responses with any other: they belong to no login of this one. */
  readonly state: string;
  readonly redirectUri: string;
  /** Aborts when nobody waits for the login any more. */
  readonly signal: AbortSignal;
  /** Everything that is needed to finish the login on another page of the same application. Secret: keep it in the browser. */
  readonly record: () => string;
}

/** One login: it has a redirect URI, and takes a user to a page and back. */
export interface LoginAttempt {
  /** Where the authorization server sends the user afterwards. */
  readonly redirectUri: string;
  /** Takes the user to the URL, and resolves to the response. */
  authorize(url: URL, request: LoginRequest): Promise<LoginResponse>;
  /** Called when the login is over, whatever came of it. */
  close?(): void | Promise<void>;
}

/** A way to log in: in a browser on the same machine, by a pasted URL, on another page, in a window, or your own. */
export interface Login {
  /** Begins a login. A client that was registered before passes the redirect URI that it was registered with. */
  start(wish: { readonly redirectUri: string | undefined }): LoginAttempt | Promise<LoginAttempt>;
  /** A login that another page has begun, whose response has come to this one. */
  returned?(server: URL): ReturnedLogin | undefined | Promise<ReturnedLogin | undefined>;
  /** Whether the page is left, so that nothing but the record outlives it. */
  readonly leavesPage?: boolean | undefined;
}

/** The response to a login that another page has begun. */
export interface ReturnedLogin {
  readonly record: string;
  readonly response: LoginResponse;
}

/** Begins a login, also with an application's own object that has a fixed redirect URI. */
export async function startLogin(login: Login | LoginAttempt, redirectUri: string | undefined): Promise<LoginAttempt> {
  return "start" in login ? login.start({ redirectUri }) : login;
}

/** Reads the parameters of a response: a whole URL, a query, or parameters. */
export function readResponse(response: LoginResponse): URLSearchParams {
  if (response instanceof URLSearchParams) return response;
  const text = String(response);
  return URL.canParse(text) ? new URL(text).searchParams : new URLSearchParams(text.replace(/^\?/, ""));
}
