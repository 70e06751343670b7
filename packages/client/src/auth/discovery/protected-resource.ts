import { AuthError } from "@toolwire/protocol";
import { quoteWords } from "@toolwire/protocol/internal";
import { type AuthNetwork, type JsonObject, shown } from "../network/network.ts";
import { splitScopes } from "./challenge.ts";

/** The metadata of a server as a protected resource (RFC 9728). */
interface ProtectedResource {
  /** The identifier of the resource, byte for byte: a `URL` would add a slash to a bare origin. */
  readonly resource: string;
  /** The issuers of its tokens, in the order of the document. */
  readonly issuers: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly takesDpop: boolean;
  readonly requiresDpop: boolean;
}

/** How the `resource` of a document must agree with the address of the server. */
export type ResourceMatch = "prefix" | "exact";

/** The URLs of the metadata of a server that does not say where they are: below its path first (RFC 9728, 3.1). */
export function wellKnownResourceUrls(server: URL): readonly string[] {
  const root = `${server.origin}/.well-known/oauth-protected-resource`;
  const path = server.pathname.replace(/\/$/, "");
  return path === "" ? [root] : [`${root}${path}${server.search}`, root];
}

/** A document that is there, and the URLs that had none. */
export interface FoundResource {
  readonly found: ProtectedResource | undefined;
  readonly tried: readonly string[];
}

/**
 * Reads the metadata of a server: at the URLs of its challenge, or at the well-known ones if it named none. A missing
 * document leads to the next URL; one about another resource, or a server that fails, ends the search.
 */
export async function findProtectedResource(
  network: AuthNetwork,
  server: URL,
  named: readonly string[],
  match: ResourceMatch,
  signal: AbortSignal | undefined,
): Promise<FoundResource> {
  const urls = named.length > 0 ? named : wellKnownResourceUrls(server);
  for (const url of urls) {
    const { document } = await network.getDocument(url, signal);
    if (document !== undefined) return { found: readDocument(document, url, server, match), tried: urls };
  }
  if (named.length === 0) return { found: undefined, tried: urls };
  const message = `${server.origin} names ${urls.map(shown).join(", ")} as its metadata, but there is no JSON object.`;
  throw new AuthError("UNSUPPORTED_SERVER", message);
}

function readDocument(document: JsonObject, url: string, server: URL, match: ResourceMatch): ProtectedResource {
  const { resource, authorization_servers: listed } = document;
  if (typeof resource !== "string" || !isResourceOf(resource, server, match)) {
    const message = `The metadata at ${shown(url)} is about ${quoteWords(String(resource))}, not about ${server.origin}${server.pathname}.`;
    const advice = "Connect to the URL that the server names, or have the server's `resource` corrected.";
    throw new AuthError("RESOURCE_MISMATCH", `${message} ${advice}`);
  }
  const issuers = Array.isArray(listed) ? listed.filter((issuer): issuer is string => typeof issuer === "string") : [];
  if (issuers.length === 0) {
    throw new AuthError("UNSUPPORTED_SERVER", `The metadata at ${shown(url)} names no authorization server.`);
  }
  const { scopes_supported: scopes } = document;
  const algorithms = document["dpop_signing_alg_values_supported"];
  const requiresDpop = document["dpop_bound_access_tokens_required"] === true;
  return {
    resource,
    issuers: issuers.slice(0, 16),
    scopes: Array.isArray(scopes) ? splitScopes(scopes.join(" ")) : undefined,
    takesDpop: requiresDpop || (Array.isArray(algorithms) && algorithms.includes("ES256")),
    requiresDpop,
  };
}

/**
 * Whether a token for the resource is for the server. RFC 9728 (3.3) wants identity. Servers in the wild, and the official
 * conformance suite, name their origin or a part of their path, so whole segments of the path may be missing.
 */
export function isResourceOf(resource: string, server: URL, match: ResourceMatch): boolean {
  if (resource.includes("#") || !URL.canParse(resource)) return false;
  const named = new URL(resource);
  if (named.origin !== server.origin || named.username !== "" || named.password !== "") return false;
  if (named.search !== "" && named.search !== server.search) return false;
  const [own, theirs] = [server.pathname.replace(/\/$/, ""), named.pathname.replace(/\/$/, "")];
  return own === theirs || (match === "prefix" && own.startsWith(`${theirs}/`));
}
