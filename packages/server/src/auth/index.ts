/**
 * Authorization for servers, on every platform: access tokens of OAuth are verified, and clients are told how to get one.
 *
 * @packageDocumentation
 */
export type { Admission, ResourceMetadata, ServerAuth } from "../bindings/admission/auth.ts";
export type { VerifyOption } from "./choose-verifier.ts";
export type { DpopAlgorithm, DpopMode, DpopOptions, ReplayStore } from "./dpop/options.ts";
export type { AuthFetch } from "./issuer/fetch-document.ts";
export {
  introspection,
  type IntrospectionClient,
  type IntrospectionIssuerOptions,
  type IntrospectionOptions,
} from "./introspection.ts";
export { jwt } from "./jwt.ts";
export type { JwtAlgorithm, JwtIssuerOptions, JwtOptions, KeySet } from "./jwt-options.ts";
export type { ProtectOptions } from "./options.ts";
export { google, type GoogleOptions } from "./presets/google.ts";
export {
  auth0,
  type Auth0Options,
  clerk,
  type ClerkOptions,
  cognito,
  type CognitoOptions,
  entra,
  type EntraOptions,
  keycloak,
  type KeycloakOptions,
  okta,
  type OktaOptions,
  supabase,
  type SupabaseOptions,
  workos,
  type WorkosOptions,
} from "./presets/jwt-providers.ts";
export { protect, type TokenProtection } from "./protect.ts";
export type { AudienceOptions, ClaimOptions, IssuerBoundOptions } from "./tokens/claim-options.ts";
export type { RequiredClaims } from "./tokens/claims.ts";
export type { ImpliedScopes } from "./tokens/scopes.ts";
export type { TokenContext, TokenVerifier, Verified, VerifiedCaller, VerifyToken } from "./tokens/verified.ts";
