import { AuthError } from "@toolwire/protocol";
import { quoteWords } from "@toolwire/protocol/internal";
import type { AuthorizationServer } from "oauth4webapi";
import { type AuthNetwork, type JsonObject, readSecureUrl, shown } from "../network/network.ts";

/** The metadata of an authorization server, checked. `issuer` is the spelling of the document. */
export interface IssuerMetadata extends AuthorizationServer {
  readonly token_endpoint: string;
  readonly client_id_metadata_document_supported?: boolean;
}

/** How the metadata of an authorization server are read. */
export interface IssuerRules {
  /** Whether an issuer may differ by one slash at the end of an empty path. */
  readonly strictIssuer: boolean;
  /** Whether a server that does not say that it supports PKCE is taken to support it. */
  readonly assumesPkce: boolean;
  /** Whether a login is planned, which needs PKCE and an authorization endpoint. Machines use neither. */
  readonly needsLogin: boolean;
  /** The only place of the metadata, for servers that break the rules. */
  readonly metadataUrl?: string | undefined;
  /** The revision that the request names, in revisions that want it. */
  readonly revision?: string | undefined;
}

/**
 * The places of the metadata of an issuer, in the order of the specification ("Authorization Server Metadata Discovery").
 * `oauth4webapi` knows two of the three for an issuer with a path, so they are made here.
 */
export function issuerMetadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return path === "" ? urls : [...urls, `${origin}${path}/.well-known/openid-configuration`];
}

/**
 * Reads the metadata of an issuer. A document that is missing, unreadable or without PKCE leads to the next place. One of
 * another issuer ends the search: it is forged, or the server is set up wrongly. A server that fails ends it as well, so
 * that an outage never selects another document. Resolves to `undefined` if there is no document at all.
 */
export async function findIssuerMetadata(
  network: AuthNetwork,
  issuer: string,
  rules: IssuerRules,
  signal: AbortSignal | undefined,
): Promise<IssuerMetadata | undefined> {
  readSecureUrl(issuer, "The issuer");
  // RFC 8414, 2. Two issuers that differ there would have the same metadata.
  if (/[?#]/.test(issuer)) {
    throw new AuthError(
      "UNSUPPORTED_SERVER",
      `The issuer ${shown(issuer)} has a query or a fragment, which none may have.`,
    );
  }
  const urls = rules.metadataUrl === undefined ? issuerMetadataUrls(issuer) : [rules.metadataUrl];
  let withoutPkce: AuthError | undefined;
  for (const url of urls) {
    const { document } = await network.getDocument(url, signal, rules.revision);
    if (document === undefined) continue;
    const metadata = readMetadata(document, url, issuer, rules);
    if (!rules.needsLogin || rules.assumesPkce || supportsPkce(metadata)) return metadata;
    withoutPkce = explainMissingPkce(metadata, url);
  }
  if (withoutPkce !== undefined) throw withoutPkce;
  return undefined;
}

/** The error for an issuer without any metadata. */
export function explainMissingMetadata(issuer: string, metadataUrl: string | undefined): AuthError {
  const places = (metadataUrl === undefined ? issuerMetadataUrls(issuer) : [metadataUrl]).map(shown).join(", ");
  return new AuthError(
    "UNSUPPORTED_SERVER",
    `The authorization server ${shown(issuer)} has no metadata. Tried: ${places}.`,
  );
}

const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "pushed_authorization_request_endpoint",
] as const;

function readMetadata(document: JsonObject, url: string, issuer: string, rules: IssuerRules): IssuerMetadata {
  checkIssuer(document["issuer"], url, issuer, rules);
  for (const name of ENDPOINTS) {
    if (document[name] !== undefined) readSecureUrl(document[name], `The ${name} of ${shown(issuer)}`);
  }
  for (const name of ["token_endpoint", ...(rules.needsLogin ? ["authorization_endpoint"] : [])]) {
    if (document[name] !== undefined) continue;
    throw new AuthError("UNSUPPORTED_SERVER", `The metadata at ${shown(url)} have no \`${name}\`.`);
  }
  return document as unknown as IssuerMetadata;
}

/**
 * The issuer of a document must be the very text that was asked for. `oauth4webapi` compares normalized URLs instead, which
 * MCP forbids. One difference is let pass: a slash at the end of an empty path, in which well-known providers differ from what
 * servers write about them. Both spellings lead to the same document, so nobody gains anything by it.
 */
function checkIssuer(given: unknown, url: string, issuer: string, rules: IssuerRules): void {
  if (typeof given === "string" && isSameIssuer(given, issuer, rules)) return;
  const message = `The metadata at ${shown(url)} are those of ${quoteWords(String(given))}, not of ${shown(issuer)}, and were not used.`;
  const advice = "If both are right, pin them: `authorizationServer: { issuer, metadataUrl }`.";
  throw new AuthError("ISSUER_MISMATCH", `${message} ${advice}`);
}

/** Whether two spellings name the same issuer. */
export function isSameIssuer(one: string, other: string, { strictIssuer }: Pick<IssuerRules, "strictIssuer">): boolean {
  if (one === other) return true;
  const isSlash = one === `${other}/` || other === `${one}/`;
  return !strictIssuer && isSlash && URL.canParse(one) && new URL(one).pathname === "/";
}

function supportsPkce({ code_challenge_methods_supported: methods }: AuthorizationServer): boolean {
  return Array.isArray(methods) && methods.includes("S256");
}

function explainMissingPkce(
  { code_challenge_methods_supported: methods }: AuthorizationServer,
  url: string,
): AuthError {
  const found = Array.isArray(methods) ? `only ${quoteWords(methods.join(", "))}` : "nothing about PKCE";
  const message = `The authorization server must support PKCE with S256, but the metadata at ${shown(url)} say ${found}.`;
  const advice = 'If you know that it does, set `pkce: "assume"`, and pin it with `authorizationServer: { issuer }`.';
  return new AuthError("UNSUPPORTED_SERVER", `${message} ${advice}`);
}
