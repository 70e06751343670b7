import { isSameIssuer } from "../discovery/authorization-server.ts";
import type { OAuthChallenge } from "../discovery/challenge.ts";
import { findTokenPlace, type TokenPlace } from "../discovery/discover.ts";
import type { AuthNetwork } from "../network/network.ts";
import type { Grant } from "../store/records.ts";
import type { AccessOptions } from "./access-options.ts";
import { type ScopeMemory, selectScopes } from "./scopes.ts";

/** Finds where the tokens for one server come from, and what to ask for there. */
export class TokenPlaces {
  readonly #server: URL;
  readonly #options: AccessOptions;
  readonly #scopes: ScopeMemory;

  constructor(server: URL, options: AccessOptions, scopes: ScopeMemory) {
    this.#server = server;
    this.#options = options;
    this.#scopes = scopes;
  }

  /** Finds the place that a challenge leads to. It is read anew each time: a server may move to another one. */
  async find(
    network: AuthNetwork,
    challenge: OAuthChallenge,
    grant: Grant | undefined,
    signal: AbortSignal,
  ): Promise<TokenPlace> {
    const { rules, source } = this.#options;
    const known = [...source.knownIssuers(), ...(grant === undefined ? [] : [grant.issuer])];
    const place = await findTokenPlace(network, this.#server, challenge, rules, known, signal);
    return {
      ...place,
      takesDpop: place.takesDpop || challenge.takesDpop,
      requiresDpop: place.requiresDpop || (challenge.takesDpop && !challenge.takesBearer),
    };
  }

  /** Whether a grant is of use at a place: it has its issuer, its resource, and its kind of token. */
  suits(grant: Grant, place: TokenPlace): boolean {
    return (!place.requiresDpop || grant.tokenType === "DPoP") && this.isFrom(grant, place);
  }

  /** Whether a grant was got at a place: it has its issuer and its resource. */
  isFrom({ issuer, resource }: Grant, place: TokenPlace): boolean {
    return isSameIssuer(issuer, place.issuer.issuer, this.#options.rules) && resource === place.resource;
  }

  /** The scopes to ask for at a place. */
  scopesFor(place: TokenPlace, challenge: OAuthChallenge, grant: Grant | undefined): readonly string[] | undefined {
    const { scopes, source } = this.#options;
    const isSame = grant !== undefined && this.suits(grant, place);
    const before = isSame ? grant.requested : this.#scopes.at(place.issuer.issuer);
    return selectScopes({ before, configured: scopes, challenge, place, needsUser: source.needsUser });
  }

  /** Whether tokens of a place are to be bound to a key. */
  bindsTokens({ takesDpop, requiresDpop, issuer }: TokenPlace): boolean {
    const { dpop } = this.#options;
    if (dpop === "required" || dpop === false || !takesDpop) return dpop === "required";
    // If the server takes both kinds of tokens, the authorization server has to know them, too.
    const offered = issuer["dpop_signing_alg_values_supported"];
    return requiresDpop || (Array.isArray(offered) && offered.includes("ES256"));
  }
}

/** The place that a grant came from, to get another one like it. */
export function placeOf(grant: Grant, issuer: TokenPlace["issuer"]): TokenPlace {
  const isBound = grant.tokenType === "DPoP";
  return {
    issuer,
    resource: grant.resource,
    scopes: undefined,
    takesDpop: isBound,
    requiresDpop: isBound,
    isGuessed: grant.guessedEndpoint !== undefined,
  };
}
