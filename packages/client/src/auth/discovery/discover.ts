import { AuthError } from "@toolwire/protocol";
import { type AuthNetwork, shown } from "../network/network.ts";
import {
  explainMissingMetadata,
  findIssuerMetadata,
  type IssuerMetadata,
  issuerMetadataUrls,
  type IssuerRules,
  isSameIssuer,
} from "./authorization-server.ts";
import type { OAuthChallenge } from "./challenge.ts";
import { findProtectedResource, type ResourceMatch } from "./protected-resource.ts";

/** Where the tokens for a server come from. */
export interface TokenPlace {
  /** The authorization server. */
  readonly issuer: IssuerMetadata;
  /** The value of the parameter `resource`; `undefined` where it must not be sent. */
  readonly resource: string | undefined;
  /** The scopes that the server lists in its metadata. */
  readonly scopes: readonly string[] | undefined;
  /** Whether the server takes tokens that are bound to a key, and whether it takes no others. */
  readonly takesDpop: boolean;
  readonly requiresDpop: boolean;
  /** Whether the authorization server has no metadata, so that its endpoints are those of 2025-03-26. */
  readonly isGuessed: boolean;
}

/** How places are found. */
export interface DiscoveryRules extends Omit<IssuerRules, "metadataUrl" | "revision"> {
  /** The only authorization server to use. */
  readonly pinned: { readonly issuer: string; readonly metadataUrl?: string | undefined } | undefined;
  readonly resourceMatch: ResourceMatch;
  /** Whether the parameter `resource` is sent. */
  readonly sendsResource: boolean;
  /** Whether servers without metadata are taken to be their own authorization servers, as in 2025-03-26. */
  readonly legacyDiscovery: boolean;
}

/** Finds out where tokens for a server come from. `known` are issuers that this client has dealt with before. */
export async function findTokenPlace(
  network: AuthNetwork,
  server: URL,
  challenge: Pick<OAuthChallenge, "metadataUrls">,
  rules: DiscoveryRules,
  known: readonly string[],
  signal: AbortSignal | undefined,
): Promise<TokenPlace> {
  const { pinned } = rules;
  const named = challenge.metadataUrls;
  const { found, tried } = await findProtectedResource(network, server, named, rules.resourceMatch, signal);
  if (found === undefined && pinned === undefined) return findLegacyPlace(network, server, tried, rules, signal);
  const listed = pinned?.issuer ?? found?.issuers.find((issuer) => known.includes(issuer)) ?? found!.issuers[0]!;
  if (
    pinned !== undefined &&
    found !== undefined &&
    !found.issuers.some((issuer) => isSameIssuer(issuer, listed, rules))
  ) {
    throw explainChange(server, found.issuers, listed);
  }
  const issuer = await findIssuerMetadata(network, listed, { ...rules, metadataUrl: pinned?.metadataUrl }, signal);
  if (issuer === undefined) throw explainMissingMetadata(listed, pinned?.metadataUrl);
  return {
    issuer,
    resource: rules.sendsResource ? (found?.resource ?? server.href) : undefined,
    scopes: found?.scopes,
    takesDpop: found?.takesDpop === true,
    requiresDpop: found?.requiresDpop === true,
    isGuessed: false,
  };
}

/** Reads the metadata of an issuer that tokens were issued by before. */
export async function findKnownIssuer(
  network: AuthNetwork,
  issuer: string,
  rules: DiscoveryRules,
  signal: AbortSignal | undefined,
): Promise<IssuerMetadata> {
  const { pinned } = rules;
  const metadataUrl = pinned?.issuer === issuer ? pinned.metadataUrl : undefined;
  const found = await findIssuerMetadata(network, issuer, { ...rules, metadataUrl }, signal);
  if (found === undefined) throw explainMissingMetadata(issuer, metadataUrl);
  return found;
}

/** The error for a server that has changed to an authorization server which configured credentials are not for. */
export function explainChange(server: URL, issuers: readonly string[], configured: string): AuthError {
  const now = issuers.map(shown).join(", ");
  const message = `${server.origin} uses the authorization server ${now}. The credentials are for ${shown(configured)}, so they were not sent.`;
  return new AuthError("ISSUER_CHANGED", `${message} If the change is right, configure credentials for the new one.`);
}

/**
 * The way of 2025-03-26, in which a server is its own authorization server: metadata at its origin, or none at all and fixed
 * endpoints. Such servers do not know the parameter `resource`.
 */
async function findLegacyPlace(
  network: AuthNetwork,
  server: URL,
  tried: readonly string[],
  rules: DiscoveryRules,
  signal: AbortSignal | undefined,
): Promise<TokenPlace> {
  const { origin } = server;
  const common = { resource: undefined, scopes: undefined, takesDpop: false, requiresDpop: false };
  if (!rules.legacyDiscovery) throw explainNoMetadata(server, tried);
  const issuer = await findIssuerMetadata(
    network,
    origin,
    { ...rules, metadataUrl: issuerMetadataUrls(origin)[0], revision: "2025-03-26" },
    signal,
  );
  if (issuer !== undefined) return { ...common, issuer, isGuessed: false };
  const guessed: IssuerMetadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  };
  return { ...common, issuer: guessed, isGuessed: true };
}

function explainNoMetadata(server: URL, tried: readonly string[]): AuthError {
  const message = `${server.origin} refuses access, and does not say which authorization server to use. Tried: ${tried.map(shown).join(", ")}.`;
  return new AuthError("UNSUPPORTED_SERVER", `${message} Name it with \`authorizationServer: { issuer }\`.`);
}
