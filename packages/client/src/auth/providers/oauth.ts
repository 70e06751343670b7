import { AuthError } from "@toolwire/protocol";
import { Turns } from "@toolwire/protocol/internal";
import { authorizationCodeGrantRequest, validateAuthResponse } from "oauth4webapi";
import { inTime } from "../../waiting.ts";
import type { TokenPlace } from "../discovery/discover.ts";
import { authenticationOf, type KnownClient } from "../grants/client-authentication.ts";
import type { DpopKey } from "../grants/dpop.ts";
import { TokenRefused } from "../grants/token-refusal.ts";
import { requestTokens } from "../grants/token-request.ts";
import type { IssuedTokens } from "../grants/token-response.ts";
import {
  authorizationUrl,
  createRecord,
  type LoginPlan,
  type LoginRecord,
  readCode,
} from "../login/authorization-request.ts";
import { type Login, type LoginAttempt, readResponse, startLogin } from "../login/login.ts";
import type { AuthNetwork } from "../network/network.ts";
import { ClientIds, type OAuthClient } from "./client-ids.ts";
import { expectRecord, readTokenOptions, refuse, type TokenOptions } from "./options.ts";
import { createTokenAuth, type TokenAuth } from "./token-auth.ts";
import type { FindIssuer, ObtainedTokens, TokenSource, TokenWish } from "./token-source.ts";

/** How long a user may take to log in. */
const LOGIN_TIMEOUT_MS = 5 * 60_000;

/** The options of {@link oauth}. */
export interface OAuthOptions extends TokenOptions {
  /** How this client presents itself: its name, and what authorization servers know of it already. */
  readonly client?: OAuthClient | undefined;
  /** How a user logs in: `loopbackLogin()` in Node, `redirectLogin()` or `popupLogin()` in browsers, or your own. */
  readonly login?: Login | LoginAttempt | undefined;
  /** How many milliseconds a login may take. They count for no other timeout. Default 300 000. */
  readonly loginTimeout?: number | undefined;
  /** Further parameters of the authorization request, such as `audience`, `access_type` or `login_hint`. */
  readonly authorizationParameters?: Readonly<Record<string, string>> | undefined;
  /**
   * `"assume"` logs in at an authorization server that does not say that it supports PKCE, as those of Microsoft Entra and
   * Amazon Cognito. Needs `authorizationServer`, or credentials that name an issuer.
   */
  readonly pkce?: "required" | "assume" | undefined;
}

/** Logs a user in: finds the authorization server, registers this client if necessary, opens a page, and keeps the tokens. */
export function oauth(options: OAuthOptions = {}): TokenAuth {
  expectRecord("options", options);
  const { client = {}, login, loginTimeout = LOGIN_TIMEOUT_MS, pkce = "required" } = options;
  if (
    login !== undefined &&
    typeof (login as Login).start !== "function" &&
    typeof (login as LoginAttempt).authorize !== "function"
  ) {
    refuse("login", "an object such as `loopbackLogin()`, or one with `redirectUri` and `authorize`", login);
  }
  expectRecord("client", client);
  const issuer = "issuer" in client ? client.issuer : undefined;
  const assumesPkce = pkce === "assume";
  if (assumesPkce && issuer === undefined && options.authorizationServer === undefined) {
    refuse("pkce", '"assume" only together with `authorizationServer`, or with credentials that name an issuer', pkce);
  }
  const settings = readTokenOptions(options, true, assumesPkce, issuer);
  const clients = new ClientIds(client, settings.store, settings.rules);
  const parameters = options.authorizationParameters;
  const source = new LoginSource({ clients, login, loginTimeout, parameters });
  return createTokenAuth({ ...settings, source });
}

interface LoginSourceOptions {
  readonly clients: ClientIds;
  readonly login: Login | LoginAttempt | undefined;
  readonly loginTimeout: number;
  readonly parameters: Readonly<Record<string, string>> | undefined;
}

/** Tokens by the authorization code grant: a user logs in on a page of the authorization server. */
class LoginSource implements TokenSource {
  readonly needsUser = true;
  readonly #options: LoginSourceOptions;
  /** Only this process waits: another one has a user, or a page, of its own. */
  readonly #turns = new Turns();

  constructor(options: LoginSourceOptions) {
    this.#options = options;
  }

  get identity(): TokenSource["identity"] {
    return ["authorization_code", this.#options.clients.identity];
  }

  knownIssuers(): readonly string[] {
    return this.#options.clients.knownIssuers();
  }

  clientOf(...[issuer, clientId]: Parameters<TokenSource["clientOf"]>): ReturnType<TokenSource["clientOf"]> {
    return this.#options.clients.find(issuer, clientId);
  }

  forgetClient(issuer: string, clientId: string): Promise<void> {
    return this.#options.clients.forget(issuer, clientId);
  }

  async obtain(wish: TokenWish): Promise<ObtainedTokens> {
    const { login } = this.#options;
    const { issuer } = wish.place.issuer;
    if (login === undefined) {
      const message = `${wish.server.origin} wants a user to log in at ${issuer}, and there is no way to do so.`;
      throw new AuthError("LOGIN_REQUIRED", `${message} Give the option \`login\`, such as \`loopbackLogin()\`.`, {
        scopes: wish.scopes,
      });
    }
    // A user can look at one page at a time. The second login is often a matter of one click.
    return this.#turns.run(issuer, wish.signal, () => this.#logIn(login, wish));
  }

  /** Finishes a login that has left the page, on the page that the user came back to. */
  async resume(wish: Omit<TokenWish, "place" | "scopes">, findIssuer: FindIssuer): Promise<ObtainedTokens | undefined> {
    const { login, clients } = this.#options;
    const returned = login === undefined || !("start" in login) ? undefined : await login.returned?.(wish.server);
    if (returned === undefined) return undefined;
    const record = JSON.parse(returned.record) as LoginRecord;
    const { issuer, tokenEndpoint, resource, isGuessed, registration } = record;
    const found = isGuessed ? { issuer, token_endpoint: tokenEndpoint } : await findIssuer(issuer);
    // The code goes to the endpoint that was known when the login began.
    const place = { issuer: { ...found, token_endpoint: tokenEndpoint }, resource, isGuessed };
    // The page that has registered this client may have kept that in its memory only.
    const client =
      (await clients.find(place.issuer, record.clientId)) ?? (registration && (await clients.restore(registration)));
    if (client === undefined) {
      throw new AuthError("LOGIN_FAILED", "The client of this login is not known any more. Log in again.");
    }
    const response = readResponse(returned.response);
    const dpop = record.isBound ? await wish.dpop?.() : undefined;
    const tokens = await redeem({ ...place, network: wish.network, client, dpop }, record, response);
    return { tokens, clientId: client.id, scopes: record.requested, dpop, place };
  }

  async #logIn(login: Login | LoginAttempt, wish: TokenWish): Promise<ObtainedTokens> {
    const { clients, parameters } = this.#options;
    const { network, place, scopes, server, signal } = wish;
    const attempt = await startLogin(login, await clients.registeredRedirectUri(place.issuer));
    try {
      const isBound = wish.dpop !== undefined;
      const chosen = await clients.choose(
        { place, redirectUri: attempt.redirectUri, usesDpop: isBound },
        network,
        signal,
      );
      const { client } = chosen;
      const leavesPage = "start" in login && login.leavesPage === true;
      // A key may not outlive the page, so the page that the user comes back to makes one, and the code is bound to none.
      const dpop = leavesPage ? undefined : await wish.dpop?.();
      const plan: LoginPlan = { server, place, ...chosen, scopes, isBound, dpop, parameters };
      const record = createRecord(plan);
      const url = await authorizationUrl(plan, record, network.fetch, signal);
      await network.checkPage(url);
      const response = await this.#authorize(attempt, url, plan, record, signal, client);
      const tokens = await redeem({ ...place, network, client, dpop }, record, readResponse(response));
      return { tokens, clientId: client.id, scopes, dpop, place };
    } catch (error) {
      // The next login registers anew, if the authorization server has forgotten this client.
      if (error instanceof TokenRefused && error.isAboutClient) await clients.forgetAll(place.issuer.issuer);
      throw error;
    } finally {
      await attempt.close?.();
    }
  }

  async #authorize(
    attempt: LoginAttempt,
    url: URL,
    { server, place, scopes, redirectUri }: LoginPlan,
    record: LoginRecord,
    signal: AbortSignal,
    client: KnownClient,
  ): ReturnType<LoginAttempt["authorize"]> {
    const { loginTimeout, clients } = this.#options;
    const { issuer } = place.issuer;
    const common = { server, issuer, resource: place.resource, scopes, state: record.state, redirectUri };
    let isLate = true;
    try {
      const work = (limit: AbortSignal): ReturnType<LoginAttempt["authorize"]> =>
        attempt.authorize(url, { ...common, signal: limit, record: () => JSON.stringify(record) });
      const response = await inTime(loginTimeout, "", [signal], work, true);
      isLate = false;
      return response;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof AuthError) throw error;
      // An authorization server that has forgotten a client shows the user a page, and nobody comes back.
      if (isLate && client.origin === "dynamic") await clients.forget(issuer, client.id);
      const isTimeout = (error as { readonly code?: unknown }).code === "TIMEOUT";
      const why = isTimeout ? `was not finished within ${loginTimeout} ms` : `failed: ${(error as Error).message}`;
      throw new AuthError("LOGIN_CANCELLED", `The login at ${issuer} ${why}. Log in again.`);
    }
  }
}

/** Everything that it takes to redeem a code. */
interface Redeeming extends Pick<TokenPlace, "issuer" | "resource"> {
  readonly network: AuthNetwork;
  readonly client: KnownClient;
  readonly dpop: DpopKey | undefined;
}

/** Exchanges the code of a response for tokens, at the endpoint of the record. It is not given up once it is sent. */
async function redeem(redeeming: Redeeming, record: LoginRecord, response: URLSearchParams): Promise<IssuedTokens> {
  const { network, client, resource, dpop } = redeeming;
  const checked = readCode(response, record);
  const issuer = { ...redeeming.issuer, issuer: record.issuer, token_endpoint: record.tokenEndpoint };
  const request = { issuer, client, fetch: network.fetch, resource, dpop, signal: undefined };
  return requestTokens(request, (asked, options) => {
    // `oauth4webapi` takes only parameters that it has checked itself. Its checks agree with those above.
    const parameters = validateAuthResponse(issuer, asked, checked, record.state);
    const authenticate = authenticationOf(issuer, client);
    return authorizationCodeGrantRequest(
      issuer,
      asked,
      authenticate,
      parameters,
      record.redirectUri,
      record.verifier,
      options,
    );
  });
}
