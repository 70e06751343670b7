import type { CredentialConfig } from "./config.ts";
import type { ConfigPath } from "./problem.ts";

/** The texts of a credential, each with its place in it. */
export function listTexts(credential: CredentialConfig): readonly (readonly [ConfigPath, string])[] {
  if ("bearer" in credential) return [[["bearer"], credential.bearer]];
  if ("apiKey" in credential) return [[["apiKey"], credential.apiKey]];
  if ("basic" in credential) {
    const { username, password } = credential.basic;
    return [
      [["basic", "username"], username],
      [["basic", "password"], password],
    ];
  }
  if ("headers" in credential) {
    return Object.entries(credential.headers).map(([name, text]) => [["headers", name], text] as const);
  }
  if ("clientCredentials" in credential) {
    const { clientId, clientSecret } = credential.clientCredentials;
    return [
      [["clientCredentials", "clientId"], clientId],
      [["clientCredentials", "clientSecret"], clientSecret],
    ];
  }
  return [];
}
