import type {
  Auth0Options,
  ClerkOptions,
  CognitoOptions,
  EntraOptions,
  GoogleOptions,
  JwtAlgorithm,
  KeycloakOptions,
  OktaOptions,
  SupabaseOptions,
  WorkosOptions,
} from "@toolwire/server/auth";
import type { CredentialText } from "./texts.ts";

/** A well-known identity provider: exactly one, with the options of its function in `@toolwire/server/auth`. */
export type OAuthPreset =
  | { readonly auth0: Auth0Options }
  | { readonly clerk: ClerkOptions }
  | { readonly cognito: CognitoOptions }
  | { readonly entra: EntraOptions }
  | { readonly google: Pick<GoogleOptions, "clientIds"> }
  | { readonly keycloak: KeycloakOptions }
  | { readonly okta: OktaOptions }
  | { readonly supabase: SupabaseOptions }
  | { readonly workos: WorkosOptions };

/** Access tokens of an authorization server, for one server of the gateway. Its resource is `<listen.publicUrl>/mcp/<slug>`. */
export interface OAuthConfig {
  /** The authorization server, exactly as tokens name it in `iss`. Needed without a `preset`. */
  readonly issuer?: string;
  /** A well-known identity provider in place of `issuer`, with its own options: `{ auth0: { domain: … } }`. */
  readonly preset?: OAuthPreset;
  /** The audience (`aud`) of tokens; one of several is enough. Default: the resource of the server. */
  readonly audience?: string | readonly string[];
  /** `issuer` for issuers whose tokens have no `aud`. Then every token of the issuer is accepted: use `requiredClaims`. */
  readonly boundBy?: "audience" | "issuer";
  /** Where the keys are that sign tokens. Default: the metadata of the issuer tell it. */
  readonly jwksUri?: string;
  /** The algorithms to accept. Default: all with public keys. */
  readonly algorithms?: readonly JwtAlgorithm[];
  /** Asks the issuer about tokens that only it can read (RFC 7662), in place of verifying their signature. */
  readonly introspection?: {
    readonly endpoint: string;
    readonly client: { readonly id: string; readonly secret: CredentialText; readonly method?: "basic" | "post" };
  };
  /** The scopes that every call needs. */
  readonly scopes?: readonly string[];
  /** Scopes that stand for others, as in `mcp:admin: [mcp:read, mcp:write]`. */
  readonly implies?: { readonly [scope: string]: readonly string[] };
  /** Whether tokens may or must be bound to a key of the client (RFC 9449). Default: false. */
  readonly dpop?: "accepted" | "required" | false;
  /** Claims that must have one of these values. */
  readonly requiredClaims?: { readonly [name: string]: string | readonly string[] };
  /** The names of claims, for issuers with names of their own. */
  readonly claims?: { readonly scopes?: string; readonly subject?: string; readonly clientId?: string };
}
