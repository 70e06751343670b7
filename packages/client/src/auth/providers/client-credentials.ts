import { machineSource } from "./machine-source.ts";
import {
  type KeyCredentials,
  readCredentials,
  readTokenOptions,
  refuse,
  type SecretCredentials,
  type TokenOptions,
} from "./options.ts";
import { createTokenAuth, type TokenAuth } from "./token-auth.ts";

/** The options of {@link clientCredentials}: a secret or a private key, and the issuer that it is for. */
export type ClientCredentialsOptions = TokenOptions & (SecretCredentials | KeyCredentials);

/**
 * Logs a machine in, without any user: services, scheduled jobs, CI. A private key is better than a secret, because it is
 * never sent.
 */
export function clientCredentials(options: ClientCredentialsOptions): TokenAuth {
  const credentials = readCredentials("clientCredentials", options);
  if (!("secret" in options && options.secret !== undefined) && !("key" in options && options.key !== undefined)) {
    refuse("clientCredentials", "{ id, secret, issuer } or { id, key, issuer }", options);
  }
  const { issuer } = options;
  const settings = readTokenOptions(options, false, true, issuer);
  const grant = { type: "client_credentials", parameters: {} };
  const source = machineSource({
    identity: ["client_credentials", options.id],
    issuer,
    rules: settings.rules,
    client: credentials,
    grant: () => grant,
  });
  return createTokenAuth({ ...settings, source }, { "io.modelcontextprotocol/oauth-client-credentials": {} });
}
