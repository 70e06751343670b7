import type { ResourceMetadata } from "../bindings/admission/auth.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** The members of the metadata of a resource besides its name. */
export interface MetadataSettings {
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[];
  readonly name: string | undefined;
  readonly documentation: string | undefined;
  readonly dpopAlgorithms: readonly string[] | undefined;
  readonly requiresDpop: boolean;
}

/** Writes the metadata of a resource (RFC 9728, sections 2 and 3.1). Nothing of a request goes into them. */
export function writeMetadata(settings: MetadataSettings): ResourceMetadata {
  const { resource, authorizationServers, name, documentation, dpopAlgorithms, requiresDpop } = settings;
  const { origin, pathname } = new URL(resource);
  const path = pathname === "/" ? WELL_KNOWN : WELL_KNOWN + pathname;
  // Clients decide by themselves whether they want to stay logged in (MCP 2026-07-28, "Refresh Tokens").
  const scopes = settings.scopes.filter((scope) => scope !== "offline_access");
  const document = {
    resource,
    authorization_servers: authorizationServers,
    scopes_supported: scopes.length === 0 ? undefined : scopes,
    bearer_methods_supported: ["header"],
    resource_name: name,
    resource_documentation: documentation,
    dpop_signing_alg_values_supported: dpopAlgorithms,
    dpop_bound_access_tokens_required: requiresDpop ? true : undefined,
  };
  return Object.freeze({ url: origin + path, path, text: JSON.stringify(document) });
}
