import type { HttpCaller } from "@toolwire/openapi";
import { AuthError, UsageError } from "@toolwire/server";
import { introspection, jwt, protect, type ServerAuth, type TokenVerifier } from "@toolwire/server/auth";
import type { OAuthConfig, ServerConfig } from "../config/config.ts";
import { createPresetVerifier } from "../config/oauth-presets.ts";
import type { KeyStore } from "../storage/storage.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { createKeyCheck, presentsKey, type RequestHead } from "./keys.ts";

/** The parts of a gateway that the tokens of a server need. */
export interface ServerAuthOptions {
  /** The origin by which clients reach the gateway. */
  readonly publicUrl: string | undefined;
  readonly keys: Pick<KeyStore, "find">;
  /** Fetches keys and asks about tokens, from allowed addresses only. */
  readonly caller: HttpCaller;
  /** Fills in the references of a text; `undefined` if a value is not set. */
  resolve(text: string): string | undefined;
  /** Hears why tokens could not be verified, for the operator. */
  diagnose(message: string, error: unknown): void;
}

/** Makes the check of a server that takes tokens; `undefined` if it takes none. Each server is a resource of its own. */
export function createServerAuth(
  slug: string,
  config: ServerConfig,
  options: ServerAuthOptions,
): ServerAuth | undefined {
  const { auth, title } = config;
  if (typeof auth !== "object" || !("oauth" in auth)) return undefined;
  const { publicUrl } = options;
  if (publicUrl === undefined) {
    throw new UsageError(
      "INVALID_DEFINITION",
      `servers.${slug}.auth.oauth: Tokens need \`listen.publicUrl\`, which takes effect when the gateway starts.`,
    );
  }
  const { oauth } = auth;
  const tokens = protect({
    resource: `${publicUrl}/mcp/${slug}`,
    verify: createVerifier(slug, oauth, options),
    scopes: oauth.scopes,
    implies: oauth.implies,
    dpop: oauth.dpop,
    name: title,
    onDiagnostic: ({ level, message, error }) => {
      // A caller that sends bad tokens could fill the log.
      if (level !== "info") options.diagnose(message, error);
    },
  });
  if (auth.apiKeys !== true) return tokens;
  const checkKey = createKeyCheck(slug, options.keys, scopesOf(config));
  return {
    metadata: tokens.metadata,
    challenge: (scopes) => tokens.challenge(scopes),
    // Proofs of tokens are good once for all gateways of a cluster.
    attachCluster: (cluster) => tokens.attachCluster?.(cluster) ?? (() => Promise.resolve()),
    admit: (request) => (presentsKey(request) ? admitKey(checkKey, request, tokens) : tokens.admit(request)),
  };
}

/** All scopes that a server knows. */
export function scopesOf({ auth, tools = {}, overrides = {}, access = [] }: ServerConfig): readonly string[] {
  const oauth = typeof auth === "object" && "oauth" in auth ? auth.oauth : undefined;
  const all = [
    ...(oauth?.scopes ?? []),
    ...Object.values(tools).flatMap(({ scopes = [] }) => scopes),
    ...Object.values(overrides).flatMap(({ scopes = [] }) => scopes),
    ...access.flatMap(({ scopes = [] }) => scopes),
  ];
  return [...new Set(all)];
}

function createVerifier(slug: string, config: OAuthConfig, options: ServerAuthOptions): TokenVerifier {
  const fetch = createGuardedFetch(options.caller);
  if (config.preset !== undefined) return createPresetVerifier(config.preset, fetch);
  const { issuer = "", audience, boundBy, requiredClaims, claims = {}, jwksUri, algorithms } = config;
  const bound = boundBy === "issuer" ? ({ boundBy } as const) : { audience };
  const common = { ...bound, ...claims, requiredClaims, issuer: expectValue(slug, issuer, options) };
  if (config.introspection === undefined) {
    const keys = jwksUri === undefined ? undefined : expectValue(slug, jwksUri, options);
    return jwt({ ...common, jwksUri: keys, algorithms, fetch });
  }
  const { endpoint, client } = config.introspection;
  return introspection({
    ...common,
    endpoint: expectValue(slug, endpoint, options),
    client: { ...client, secret: expectValue(slug, client.secret, options) },
    fetch,
  });
}

function expectValue(slug: string, text: string, options: ServerAuthOptions): string {
  const value = options.resolve(text);
  if (value !== undefined) return value;
  throw new UsageError("INVALID_DEFINITION", `servers.${slug}.auth.oauth refers to a value that is not set: ${text}.`);
}

/** Decides on a request with an API key. Without one that is good, the client is told how to get a token. */
function admitKey(
  checkKey: ReturnType<typeof createKeyCheck>,
  request: RequestHead,
  tokens: ServerAuth,
): ReturnType<ServerAuth["admit"]> {
  try {
    return { principal: checkKey(request) };
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const { code, message } = error;
    if (code === "FORBIDDEN") return { refusal: { status: 403, message } };
    const { url } = tokens.metadata;
    const challenge = `Bearer resource_metadata="${url}", error="invalid_token"`;
    return { refusal: { status: 401, message, headers: ["WWW-Authenticate", challenge] } };
  }
}
