import * as library from "oauth4webapi";
import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discoveryRequest,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from "oauth4webapi";
import type { GuardedFetch } from "../../servers/guarded-fetch.ts";
import type { IdentityClaims } from "./allowed-people.ts";
import type { BegunLogin } from "./login-cookie.ts";

/** How long the metadata of the identity provider are used, in milliseconds. */
const METADATA_AGE = 10 * 60_000;

/**
 * The option by which `oauth4webapi` accepts http. It is marked as deprecated there so that it stands out. The configuration takes
 * issuers without TLS on this machine only.
 */
const allowsHttp = (library as { readonly allowInsecureRequests: symbol }).allowInsecureRequests;

/** The gateway as an identity provider knows it. */
export interface IdentityProviderOptions {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret?: string | undefined };
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  /** Sends requests to the provider, to allowed addresses only. */
  readonly fetch: GuardedFetch;
  readonly now: () => number;
}

/** An identity provider: the URL of its login, and what its responses are worth. */
export class IdentityProvider {
  readonly #options: IdentityProviderOptions;
  readonly #client: Client;
  #metadata: { readonly at: number; readonly found: Promise<AuthorizationServer> } | undefined;

  constructor(options: IdentityProviderOptions) {
    this.#options = options;
    this.#client = { client_id: options.client.id };
  }

  /** The page on which a person logs in. */
  async loginUrl({ state, nonce, verifier }: BegunLogin): Promise<URL> {
    const { authorization_endpoint: endpoint } = await this.#findMetadata();
    if (endpoint === undefined) throw new Error("The identity provider has no authorization endpoint.");
    const url = new URL(endpoint);
    const { scopes, redirectUri } = this.#options;
    const parameters = {
      client_id: this.#client.client_id,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: ["openid", ...scopes].join(" "),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url;
  }

  /**
   * Checks a response, redeems its code, and returns the claims of the ID token. The library checks `state`, `iss`, the nonce,
   * issuer, audience and times of the ID token; its signature is checked with the keys of the provider.
   */
  async identify(response: URLSearchParams, login: BegunLogin): Promise<IdentityClaims> {
    const server = await this.#findMetadata();
    const parameters = validateAuthResponse(server, this.#client, response, login.state);
    const answer = await authorizationCodeGrantRequest(
      server,
      this.#client,
      this.#authenticate(server),
      parameters,
      this.#options.redirectUri,
      login.verifier,
      this.#requestOptions(),
    );
    const expected = { expectedNonce: login.nonce, requireIdToken: true };
    const tokens = await processAuthorizationCodeResponse(server, this.#client, answer, expected);
    await validateApplicationLevelSignature(server, answer, this.#requestOptions());
    const claims = getValidatedIdTokenClaims(tokens);
    if (claims === undefined) throw new Error("The identity provider sent no ID token.");
    return claims;
  }

  #findMetadata(): Promise<AuthorizationServer> {
    const { now } = this.#options;
    const known = this.#metadata;
    if (known !== undefined && now() - known.at < METADATA_AGE) return known.found;
    const found = this.#readMetadata();
    const metadata = { at: now(), found };
    this.#metadata = metadata;
    found.catch(() => {
      if (this.#metadata === metadata) this.#metadata = undefined;
    });
    return found;
  }

  async #readMetadata(): Promise<AuthorizationServer> {
    const issuer = new URL(this.#options.issuer);
    const response = await discoveryRequest(issuer, { algorithm: "oidc", ...this.#requestOptions() });
    return processDiscoveryResponse(issuer, response);
  }

  #authenticate({ token_endpoint_auth_methods_supported: methods }: AuthorizationServer): ClientAuth {
    const { secret } = this.#options.client;
    if (secret === undefined) return None();
    const takesBasic = methods === undefined || methods.includes("client_secret_basic");
    return takesBasic ? ClientSecretBasic(secret) : ClientSecretPost(secret);
  }

  #requestOptions(): object {
    return {
      [customFetch]: (url: string, init: RequestInit) => this.#options.fetch(url, init),
      [allowsHttp]: this.#options.issuer.startsWith("http:"),
    };
  }
}
