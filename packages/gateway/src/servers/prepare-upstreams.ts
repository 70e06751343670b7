import { createHash } from "node:crypto";
import type { ClientObserver, HttpConnector, PinStore } from "@toolwire/client";
import { ToolError, UsageError } from "@toolwire/server";
import { isLoginPerUser } from "../config/check/upstream-auth.ts";
import type { ServerConfig, UpstreamConfig } from "../config/config.ts";
import { hiddenLiteral } from "../config/hidden-values.ts";
import { explainUnset, fillIn, parseReferences, type ReferenceSources } from "../config/references.ts";
import type { GatewayEvent } from "../gateway.ts";
import type { Logins } from "../logins/logins.ts";
import { isSecretName } from "../secrets/secret-fields.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { AcceptedToolStore, GrantStore, SecretStore } from "../storage/storage.ts";
import type { PreparedUpstream } from "../upstreams/open-upstreams.ts";
import type { UpstreamLogins, UpstreamOptions } from "../upstreams/upstream.ts";
import { VERSION } from "../version.ts";
import { prepareValue, type PreparedValue } from "./credential-value.ts";
import { UpstreamReports } from "./upstream-reports.ts";

/** The parts of a gateway that upstreams need. */
export interface UpstreamSources {
  readonly sources: ReferenceSources;
  readonly secrets: Pick<SecretStore, "get">;
  readonly acceptedTools: AcceptedToolStore;
  readonly redactor: Pick<Redactor, "note">;
  readonly connect: HttpConnector;
  readonly grants: GrantStore;
  /** `undefined` if the gateway has no public URL, to which people could come back from a login. */
  readonly logins: Logins | undefined;
  /** Sees the requests to upstreams, if anybody does. */
  readonly observer: ClientObserver | undefined;
  readonly report: (event: GatewayEvent) => void;
}

/** Prepares the upstreams of a server in the order of the configuration, with the parts of the gateway that each of them uses. */
export function prepareUpstreams(
  slug: string,
  { upstreams = {}, schemas }: ServerConfig,
  { sources, secrets, acceptedTools, redactor, connect, grants, logins, observer, report }: UpstreamSources,
): { readonly [name: string]: PreparedUpstream } {
  const resolve = (text: string, principal: string | undefined): string => {
    const prepared = prepareValue(text, principal !== undefined, sources, secrets);
    const value = prepared.get(principal);
    if (value === undefined) throw unset(text, principal);
    for (const hidden of prepared.hidden(principal)) redactor.note(hidden);
    return value;
  };
  const reports = new UpstreamReports(slug, report);
  const prepared = Object.entries(upstreams).map(([name, config]): [string, PreparedUpstream] => {
    const options: UpstreamOptions = {
      resolve,
      hidden: (principal) => {
        const hidden = hiddenIn(config, principal, sources, secrets);
        for (const value of hidden) redactor.note(value);
        return hidden;
      },
      note: (secret) => redactor.note(secret),
      connect,
      logins: config.auth !== undefined && "oauth" in config.auth ? loginsAt(slug, name, grants, logins) : undefined,
      acceptedTools: acceptedBy(acceptedTools, slug, name, config),
      folder: sources.folder,
      info: { name: "toolwire-gateway", version: VERSION },
      observe: observer,
      report: (event) => reports.take(event),
      isPortable: schemas === "portable",
      onListed: () => reports.recovered(name),
    };
    return [name, { config: prepareConfig(config, sources), options }];
  });
  return Object.fromEntries(prepared);
}

/** Accepted tools belong to one program or URL: another one under the same name has tools of its own. */
function acceptedBy(store: AcceptedToolStore, server: string, name: string, config: UpstreamConfig): PinStore {
  const { command, args, url } = config;
  const key = `${name} ${createHash("sha256")
    .update(JSON.stringify([command, args, url]))
    .digest("hex")
    .slice(0, 16)}`;
  return { load: () => store.get(server, key), save: (accepted) => store.set(server, key, accepted) };
}

/** The logins of people at one upstream. */
function loginsAt(server: string, upstream: string, grants: GrantStore, logins: Logins | undefined): UpstreamLogins {
  return {
    storeOf: (principal) => grants.open({ server, upstream, principal }),
    async stateOf(principal) {
      const [own] = await grants.list({ server, upstream, principal });
      return own?.version;
    },
    async createLink(principal, scopes) {
      if (logins !== undefined) return logins.createLink({ server, upstream, principal, scopes });
      throw new UsageError("INVALID_DEFINITION", "Logins at upstreams need `listen.publicUrl`.");
    },
  };
}

/** Fills in the URL. If each caller logs in, each has a connection. */
function prepareConfig(given: UpstreamConfig, sources: ReferenceSources): UpstreamConfig {
  const config = isLoginPerUser(given) ? { ...given, perUser: true } : given;
  if (config.url === undefined) return config;
  const filled = fillIn(config.url, sources);
  if ("text" in filled) return { ...config, url: filled.text };
  throw new UsageError("INVALID_DEFINITION", filled.problem);
}

/**
 * What an upstream is sent that nobody may see: values of references, in its URL, headers, variables and login; and what is a
 * credential by its name. Another literal is no secret: `ROOT: ./shared`.
 */
function hiddenIn(
  { url, headers = {}, env = {} }: UpstreamConfig,
  principal: string | undefined,
  sources: ReferenceSources,
  secrets: Pick<SecretStore, "get">,
): readonly string[] {
  const valueOf = (text: string): PreparedValue => prepareValue(text, principal !== undefined, sources, secrets);
  const named = Object.entries(url === undefined ? env : headers).flatMap(([name, text]) => {
    const value = valueOf(text);
    const filled = value.get(principal);
    const literal = filled !== undefined && isSecretName(name) ? hiddenLiteral(filled) : [];
    return [...value.hidden(principal), ...literal];
  });
  return [...(url === undefined ? [] : valueOf(url).hidden(undefined)), ...named];
}

/** Names the references of a text that has no value. */
function unset(text: string, principal: string | undefined): Error {
  const parts = parseReferences(text);
  const missing = typeof parts === "string" ? [] : parts.flatMap((part) => (part.kind === "text" ? [] : [part]));
  if (principal !== undefined) {
    const names = missing.map(({ name }) => name).join(", ");
    return new ToolError(`Error: You have not connected your account: the secret ${names} is not set for you.`);
  }
  return new UsageError("INVALID_DEFINITION", missing.map(explainUnset).join(" "));
}
