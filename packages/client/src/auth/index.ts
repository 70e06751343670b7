/**
 * Authorization for clients, on every platform: logins of users, credentials of machines, and tokens of your own.
 *
 * @packageDocumentation
 */
export type { AuthFields, AuthRefusal, AuthRequest, AuthServer, ClientAuth } from "../transports/client-auth.ts";
export type { SigningAlgorithm } from "./grants/private-key.ts";
export type { Login, LoginAttempt, LoginRequest, LoginResponse, ReturnedLogin } from "./login/login.ts";
export type { ClientDescription } from "./login/register.ts";
export { bearer, type TokenCallback } from "./providers/bearer.ts";
export { clientCredentials, type ClientCredentialsOptions } from "./providers/client-credentials.ts";
export type { DocumentedKeyClient, OAuthClient, UnregisteredClient } from "./providers/client-ids.ts";
export { enterprise, type EnterpriseOptions } from "./providers/enterprise.ts";
export { oauth, type OAuthOptions } from "./providers/oauth.ts";
export type { KeyCredentials, PublicCredentials, SecretCredentials, TokenOptions } from "./providers/options.ts";
export type { AccessState } from "./providers/server-access.ts";
export type { AuthChange, AuthStatus, LoginOptions, LogoutOptions, TokenAuth } from "./providers/token-auth.ts";
export { type AssertionRequest, workload, type WorkloadOptions } from "./providers/workload.ts";
export { type AuthStore, type LockedWork, memoryStore, type StoredValue } from "./store/auth-store.ts";
