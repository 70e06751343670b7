import { isSecureUrl } from "../check-options.ts";
import { VerificationUnavailable } from "../tokens/verified.ts";
import { type AuthFetch, fetchDocument } from "./fetch-document.ts";

/** The largest metadata document, and the largest set of keys. */
export const MAX_DOCUMENT_BYTES: number = 256 * 1024;

/** Where the metadata of an issuer may be (MCP, "Authorization Server Metadata Discovery"), in the order in which to look. */
function listMetadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  if (path === "") {
    return [`${origin}/.well-known/oauth-authorization-server`, `${origin}/.well-known/openid-configuration`];
  }
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

/**
 * Finds the URL of an issuer's keys. The document must name exactly this issuer: on a shared host, another tenant's document may be
 * nearby.
 */
export async function findJwksUri(issuer: string, send: AuthFetch): Promise<string> {
  const init = { method: "GET", headers: { accept: "application/json" } };
  const problems: string[] = [];
  for (const url of listMetadataUrls(issuer)) {
    const { status, document } = await fetchDocument(send, url, init, MAX_DOCUMENT_BYTES);
    if (status !== 200 || document === undefined) problems.push(`${url} has none (HTTP status ${status})`);
    else if (document["issuer"] !== issuer) problems.push(`${url} is about another issuer`);
    else if (!isSecureUrl(document["jwks_uri"])) problems.push(`${url} has no \`jwks_uri\` with https`);
    else return document["jwks_uri"];
  }
  throw new VerificationUnavailable(
    `The metadata of ${issuer} cannot be found: ${problems.join("; ")}. Check \`issuer\`, to the last slash, or set \`jwksUri\``,
  );
}
