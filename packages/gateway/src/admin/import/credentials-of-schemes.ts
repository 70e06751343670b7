import type { DeclaredScheme } from "@toolwire/openapi";
import type { CredentialConfig } from "../../config/config.ts";

/**
 * The credentials for security schemes of a document: each refers to a sealed secret that somebody sets later, so that no value
 * is in the configuration.
 */
export function credentialsOfSchemes(
  slug: string,
  schemes: readonly DeclaredScheme[],
): { readonly [scheme: string]: CredentialConfig } {
  const entries = schemes.flatMap((scheme): [string, CredentialConfig][] => {
    const secret = `${slug}-${scheme.name.replaceAll(/[^A-Za-z0-9._-]+/g, "-")}`;
    const credential = credentialOf(scheme, secret);
    return credential === undefined ? [] : [[scheme.name, credential]];
  });
  return Object.fromEntries(entries);
}

function credentialOf({ kind, key }: DeclaredScheme, secret: string): CredentialConfig | undefined {
  if (kind === "bearer") return { bearer: `\${secret:${secret}}` };
  if (kind === "basic") {
    return { basic: { username: `\${secret:${secret}-username}`, password: `\${secret:${secret}-password}` } };
  }
  return key && { apiKey: `\${secret:${secret}}`, in: key.in, name: key.name };
}
