/** Logs people in at the company's login, by OpenID Connect. */
import * as oauth from "oauth4webapi";

/** How the company's login is reached. */
export interface CompanyOptions {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** Where people come back to. */
  readonly redirectUri: string;
}

/** A login that has begun. It is kept on the server, and its `state` finds it again. */
interface PendingLogin {
  readonly uid: string;
  readonly verifier: string;
  readonly nonce: string;
  /** A cookie of the browser that began: only this browser may end the login. */
  readonly browser: string;
  readonly expiresAt: number;
}

/** A login that has ended well. */
export interface CompletedLogin {
  /** The interaction of the authorization server that it belongs to. */
  readonly uid: string;
  readonly subject: string;
}

const LIFETIME_MS = 10 * 60_000;
const MAX_PENDING = 10_000;

/** The way to the company's login and back. */
export class CompanyLogin {
  readonly #options: CompanyOptions;
  readonly #client: oauth.Client;
  readonly #pending = new Map<string, PendingLogin>();
  #server: Promise<oauth.AuthorizationServer> | undefined;

  constructor(options: CompanyOptions) {
    this.#options = options;
    this.#client = { client_id: options.client.id };
  }

  /** Begins a login for an interaction. Returns where to send the browser. */
  async begin(uid: string, browser: string): Promise<URL> {
    const server = await this.#discover();
    const [state, verifier, nonce] = [
      oauth.generateRandomState(),
      oauth.generateRandomCodeVerifier(),
      oauth.generateRandomNonce(),
    ];
    this.#keep(state, { uid, verifier, nonce, browser, expiresAt: Date.now() + LIFETIME_MS });
    const url = new URL(server.authorization_endpoint!);
    url.search = new URLSearchParams({
      response_type: "code",
      client_id: this.#client.client_id,
      redirect_uri: this.#options.redirectUri,
      scope: "openid",
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }).toString();
    return url;
  }

  /** Ends the login that a browser comes back from. */
  async complete(callback: URL, browser: string | undefined): Promise<CompletedLogin> {
    const state = callback.searchParams.get("state") ?? "";
    const login = this.#pending.get(state);
    this.#pending.delete(state);
    if (login === undefined || login.expiresAt < Date.now() || login.browser !== browser) {
      throw new Error("This login is not known here, has expired, or began in another browser.");
    }
    const server = await this.#discover();
    const parameters = oauth.validateAuthResponse(server, this.#client, callback, state);
    const { client, redirectUri } = this.#options;
    const authentication = oauth.ClientSecretBasic(client.secret);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      this.#client,
      authentication,
      parameters,
      redirectUri,
      login.verifier,
      INSECURE,
    );
    const options = { expectedNonce: login.nonce, requireIdToken: true };
    const result = await oauth.processAuthorizationCodeResponse(server, this.#client, response, options);
    return { uid: login.uid, subject: oauth.getValidatedIdTokenClaims(result)!.sub };
  }

  #keep(state: string, login: PendingLogin): void {
    this.#pending.set(state, login);
    for (const [oldest, { expiresAt }] of this.#pending) {
      if (this.#pending.size <= MAX_PENDING && expiresAt > Date.now()) break;
      this.#pending.delete(oldest);
    }
  }

  #discover(): Promise<oauth.AuthorizationServer> {
    this.#server ??= this.#readMetadata().catch((error: unknown) => {
      this.#server = undefined;
      throw error;
    });
    return this.#server;
  }

  async #readMetadata(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.#options.issuer);
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, INSECURE));
  }
}

/** The example runs on this machine without certificates. Leave it out elsewhere. */
// oxlint-disable-next-line typescript/no-deprecated -- deprecated only so that it stands out
const INSECURE = { [oauth.allowInsecureRequests]: true };
