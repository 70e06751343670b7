import {
  auth0,
  type AuthFetch,
  clerk,
  cognito,
  entra,
  google,
  type GoogleOptions,
  jwt,
  type JwtOptions,
  keycloak,
  okta,
  supabase,
  type TokenVerifier,
  workos,
} from "@toolwire/server/auth";
import type { OAuthPreset } from "./config.ts";

/** Providers whose tokens are JWTs. The SDK checks their options. */
const JWT_PRESETS: { readonly [name: string]: (options: never) => JwtOptions } = {
  auth0,
  clerk,
  cognito,
  entra,
  keycloak,
  okta,
  supabase,
  workos,
};

/**
 * Makes the verifier of a preset.
 *
 * @throws UsageError that names the option that is missing or wrong
 */
export function createPresetVerifier(preset: OAuthPreset, fetch: AuthFetch): TokenVerifier {
  const [[name, options] = ["", {}]] = Object.entries(preset) as readonly [name: string, options: object][];
  if (name === "google") return google({ ...(options as GoogleOptions), fetch });
  const read = JWT_PRESETS[name];
  if (read === undefined) throw new TypeError(`There is no preset ${name}.`);
  return jwt({ ...read(options as never), fetch });
}
