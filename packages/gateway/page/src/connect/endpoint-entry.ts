import type { ServerSummary } from "../../../src/admin/views.ts";
import type { UrlEntry } from "../../../src/hosts/host-entry.ts";

/** The variable that stands for a key as long as none was made here. */
const KEY_VARIABLE = "TOOLWIRE_KEY";

/** The facts by which a client connects to a server. `key` is the secret of a key that was made for it. */
export function endpointEntry(
  { slug, endpoint, access }: Pick<ServerSummary, "slug" | "endpoint" | "access">,
  key: string | undefined,
): UrlEntry {
  const secret = key ?? (access === "keys" ? `\${env:${KEY_VARIABLE}}` : undefined);
  return { name: slug, url: endpoint, headers: secret === undefined ? {} : { Authorization: `Bearer ${secret}` } };
}

/** Whether a key opens a server. */
export function takesKeys(access: ServerSummary["access"]): boolean {
  return access === "keys" || access === "keys-or-tokens";
}

/** How a caller gets in, in a sentence. */
export function describeAccess(access: ServerSummary["access"], hasKey: boolean): string {
  if (access === "open") return "Everybody who can reach the address gets in. No key is needed.";
  if (hasKey) return "The key is in the text below. It opens this server alone.";
  if (access === "keys") return `Clients need an API key. Below, the variable ${KEY_VARIABLE} stands for it.`;
  const login = "Clients log in: yours opens a browser when it connects first.";
  return access === "tokens" ? login : `${login} A key works as well.`;
}

/** Why clients cannot use a server as it is; `undefined` if they can. */
export function describeStatus(status: ServerSummary["status"]): string | undefined {
  if (status === "draft") return "This server is a draft. For clients, it is not there until it is active.";
  return status === "paused" ? "This server is paused. Clients are told to come back later." : undefined;
}

/** The name of a key that was made for an application, for the list of keys. */
export function keyName(application: string, slug: string): string {
  return `${application}, ${slug}`.slice(0, 100);
}
