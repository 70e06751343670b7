/**
 * Credentials of OAuth 2.0 for HTTP APIs.
 *
 * @packageDocumentation
 */
export { clientCredentials, type ClientCredentialsOptions } from "./credentials/client-credentials.ts";
export type { Auth, AuthSubject } from "./credentials/auth.ts";
export type { CredentialValue } from "./credentials/credential-value.ts";
