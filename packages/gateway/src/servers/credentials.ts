import { apiKey, type Auth, basic, bearer, type CredentialValue, headers, type HttpCaller } from "@toolwire/openapi";
import { clientCredentials } from "@toolwire/openapi/oauth";
import { type Context, ToolError } from "@toolwire/server";
import { listTexts } from "../config/credential-texts.ts";
import type { CredentialConfig } from "../config/config.ts";
import { hiddenLiteral } from "../config/hidden-values.ts";
import type { ConfigPath } from "../config/problem.ts";
import { fillIn, hasReferences, type ReferenceSources } from "../config/references.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { SecretStore } from "../storage/storage.ts";
import { prepareValue, type PreparedValue } from "./credential-value.ts";
import { hash } from "./fingerprint.ts";

/** A credential of a server, ready to be used. */
export interface PreparedCredential {
  readonly name: string;
  readonly kind: string;
  readonly perUser: boolean;
  readonly auth: Auth | undefined;
  /** Changes if a value of the environment or of a file does, which the configuration does not show. */
  readonly fingerprint: string;
  /** What nobody may see of it: literals, and the parts of its values that come from references. */
  readonly hidden: (principal?: string) => readonly string[];
  /** Whether it has all its values: with `perUser`, whether this caller has them. */
  readonly isSet: (principal?: string) => boolean;
  /** Sends callers without a credential to a page where they can store one. */
  readonly connect: ((ctx: Context) => Promise<void>) | undefined;
}

/** Where values of credentials come from, and where they must not appear. */
export interface CredentialSources {
  readonly references: ReferenceSources;
  readonly secrets: Pick<SecretStore, "get">;
  readonly redactor: Pick<Redactor, "add">;
  /** Fetches tokens, under the same rules as requests to APIs. */
  readonly caller: HttpCaller;
}

/** Makes a credential of its configuration. */
export function prepareCredential(
  name: string,
  config: CredentialConfig,
  sources: CredentialSources,
): PreparedCredential {
  const perUser = config.perUser === true;
  const texts = listTexts(config);
  const values = texts.map(([, text]) => prepareValue(text, perUser, sources.references, sources.secrets));
  const literals = texts.flatMap(([path, text]) => literalsOf(path, text));
  const hidden = (principal?: string): readonly string[] => [
    ...literals,
    ...values.flatMap((value) => value.hidden(principal)),
  ];
  // Stored secrets are known to the redactor. Those of the environment and of files are not, nor is a literal.
  for (const value of hidden()) sources.redactor.add(value);
  const isSet = (principal?: string): boolean => values.every((value) => value.get(principal) !== undefined);
  const lookUp = (value: PreparedValue): CredentialValue => {
    const fixed = value.secrets.length === 0 ? value.get(undefined) : undefined;
    if (fixed !== undefined) return fixed;
    return ({ principal }) => {
      const found = value.get(principal);
      if (found === undefined) throw missing(name, config, principal);
      return found;
    };
  };
  const { connectUrl } = config;
  return {
    name,
    kind: kindOf(config),
    perUser,
    auth: createAuth(config, values.map(lookUp), sources),
    fingerprint: hash(values.map((value) => (value.secrets.length === 0 ? value.get(undefined) : value.secrets))),
    hidden,
    isSet,
    connect: perUser && connectUrl !== undefined ? (ctx) => connect(name, connectUrl, ctx, isSet) : undefined,
  };
}

/** A credential that is written into the configuration. Names of users and clients are no secrets there. */
function literalsOf(path: ConfigPath, text: string): readonly string[] {
  const isName = path.at(-1) === "username" || path.at(-1) === "clientId";
  if (isName || hasReferences(text)) return [];
  return path[0] === "headers" ? hiddenLiteral(text) : [text];
}

/** `values` are in the order of {@link listTexts}. */
function createAuth(
  config: CredentialConfig,
  values: readonly CredentialValue[],
  sources: CredentialSources,
): Auth | undefined {
  const [first, second] = values;
  if ("none" in config || first === undefined) return undefined;
  if ("bearer" in config) return bearer(first);
  if ("apiKey" in config) return apiKey({ value: first, in: config.in, name: config.name, prefix: config.prefix });
  if ("headers" in config) {
    const names = Object.keys(config.headers);
    return headers(Object.fromEntries(names.map((name, index) => [name, values[index] ?? first])));
  }
  if (second === undefined) return undefined;
  if ("basic" in config) return basic({ username: first, password: second });
  const { tokenUrl, scope, audience, resource, authentication } = config.clientCredentials;
  const filled = fillIn(tokenUrl, sources.references);
  if ("text" in filled) for (const hidden of filled.hidden) sources.redactor.add(hidden);
  return clientCredentials({
    tokenUrl: "text" in filled ? filled.text : tokenUrl,
    clientId: first,
    clientSecret: second,
    scope,
    audience,
    resource,
    authentication,
    http: sources.caller,
  });
}

function kindOf(config: CredentialConfig): string {
  const kinds = ["bearer", "apiKey", "basic", "headers", "clientCredentials", "none"];
  return kinds.find((kind) => kind in config) ?? "none";
}

/** The text for the model if there is no credential. It names the credential, never a value. */
function missing(name: string, { perUser, connectUrl }: CredentialConfig, principal: string | undefined): ToolError {
  const what = `the credential ${JSON.stringify(name)}`;
  if (perUser !== true) {
    return new ToolError(`Error: This tool cannot be used, because ${what} is not set on the gateway.`);
  }
  if (principal === undefined) {
    return new ToolError(`Error: This tool needs ${what} of each caller. Call the gateway with an API key.`);
  }
  const advice =
    connectUrl === undefined ? "Ask the operator of the gateway to add it." : `Connect your account at ${connectUrl}`;
  return new ToolError(`Error: You have not connected your account: ${what} is not set for you. ${advice}`);
}

/** Asks a caller without a credential to visit the page, if their client can show it. */
async function connect(name: string, url: string, ctx: Context, isSet: (principal?: string) => boolean): Promise<void> {
  const principal = ctx.principal?.id;
  if (principal === undefined || isSet(principal) || !canVisit(ctx)) return;
  await ctx.elicit(`connect ${name}`, {
    message: "This tool needs access to your account. Connect it on this page, then go on.",
    url,
  });
}

function canVisit({ clientCapabilities }: Context): boolean {
  return clientCapabilities.elicitation?.url !== undefined;
}
