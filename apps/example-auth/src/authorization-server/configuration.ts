import { generateKeyPairSync } from "node:crypto";
import { type Configuration, errors } from "oidc-provider";

/** An MCP server that tokens are issued for. */
export interface ProtectedResource {
  /** Its address, as its metadata name it. */
  readonly url: string;
  /** The scopes that it knows, each with what it allows, for the page that asks people. */
  readonly scopes: Readonly<Record<string, string>>;
  /** How many seconds access tokens are valid. */
  readonly lifetime: number;
}

/** The settings of the authorization server: what MCP needs, and nothing else. */
export function configure({ url, scopes, lifetime }: ProtectedResource): Configuration {
  const names = Object.keys(scopes);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: "example" } as never] },
    cookies: { keys: [crypto.randomUUID()] },
    scopes: ["openid", "offline_access", ...names],
    clientDefaults: { id_token_signed_response_alg: "ES256", token_endpoint_auth_method: "none" },
    // MCP clients must use PKCE, and so must everybody here.
    pkce: { required: () => true },
    // Access tokens live for minutes. A refresh token that was used is replaced, so that a stolen one shows.
    ttl: { AccessToken: lifetime, RefreshToken: 14 * 86_400, Grant: 14 * 86_400, Session: 86_400, Interaction: 600 },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      // Any program may register. It still has to ask a person, on a page that names it.
      registration: { enabled: true },
      revocation: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        defaultResource: () => [],
        getResourceServerInfo(_, resource) {
          // Tokens are for this one server. Others would have to be listed here.
          if (resource !== url) throw new errors.InvalidTarget();
          return {
            scope: names.join(" "),
            audience: resource,
            accessTokenFormat: "jwt",
            accessTokenTTL: lifetime,
            jwt: { sign: { alg: "ES256" } },
          };
        },
      },
    },
  };
}
