import type { CredentialConfig } from "../../config/config.ts";
import type { PendingImport } from "./pending-imports.ts";

/**
 * The credentials for security schemes of a document: each refers to a sealed secret that somebody sets later, so that no value
 * is in the configuration.
 */
export function credentialsOfSchemes(
  slug: string,
  schemes: PendingImport["schemes"],
): { readonly [scheme: string]: CredentialConfig } {
  const entries = schemes.flatMap(({ name, kind }): [string, CredentialConfig][] => {
    const secret = `${slug}-${name.replaceAll(/[^A-Za-z0-9._-]+/g, "-")}`;
    const credential = credentialOfKind(kind, secret);
    return credential === undefined ? [] : [[name, credential]];
  });
  return Object.fromEntries(entries);
}

function credentialOfKind(kind: string, secret: string): CredentialConfig | undefined {
  if (kind === "bearer") return { bearer: `\${secret:${secret}}` };
  if (kind === "basic") {
    return { basic: { username: `\${secret:${secret}-username}`, password: `\${secret:${secret}-password}` } };
  }
  const key = /^apiKey in (header|query|cookie) (.+)$/.exec(kind);
  if (key === null) return undefined;
  return { apiKey: `\${secret:${secret}}`, in: key[1] as "header" | "query" | "cookie", name: key[2] ?? "" };
}
