import {
  bearer,
  type ClientAuth,
  clientCredentials,
  enterprise,
  oauth,
  type OAuthClient,
  type OAuthOptions,
  type KeyCredentials,
  type SecretCredentials,
  type TokenOptions,
  workload,
} from "@toolwire/client/auth";
import { watchStore } from "../secrets/watch-store.ts";
import type { CredentialText, UpstreamClientConfig, UpstreamConfig, UpstreamTokenConfig } from "../config/config.ts";
import type { UpstreamOptions } from "./upstream.ts";

/** Fills in the references of a text for one principal, or for all. */
type Resolve = (text: CredentialText) => string | Promise<string>;

/** The name under which the gateway registers itself, unless the configuration says another. */
const CLIENT_NAME = "Toolwire gateway";

/**
 * Makes the credentials with which the gateway connects to an upstream for a principal, or for all callers. `note` is told every
 * token and secret, so that none of them gets into a text.
 */
export async function createUpstreamAuth(
  { auth }: UpstreamConfig,
  options: Pick<UpstreamOptions, "resolve" | "logins">,
  principal: string | undefined,
  note: (secret: string) => void,
): Promise<ClientAuth | undefined> {
  if (auth === undefined) return undefined;
  const resolve: Resolve = async (text) => {
    const value = await options.resolve(text, principal);
    note(value);
    return value;
  };
  if ("bearer" in auth) return bearer(() => resolve(auth.bearer));
  if ("clientCredentials" in auth) {
    const { clientCredentials: given } = auth;
    return watch(clientCredentials({ ...tokenOptions(given), ...(await clientOf(given, resolve)) }), note);
  }
  if ("workload" in auth) {
    const { issuer, assertion, id } = auth.workload;
    return watch(workload({ ...tokenOptions(auth.workload), issuer, id, assertion: () => resolve(assertion) }), note);
  }
  if ("enterprise" in auth) {
    const { idp, client, idToken, refreshToken } = auth.enterprise;
    const provider = enterprise({
      ...tokenOptions(auth.enterprise),
      idp: { ...(await clientOf(idp, resolve)), tokenEndpoint: idp.tokenEndpoint },
      client: await clientOf(client, resolve),
      idToken: idToken === undefined ? undefined : () => resolve(idToken),
      refreshToken: refreshToken === undefined ? undefined : () => resolve(refreshToken),
    });
    return watch(provider, note);
  }
  // There is no `login`: whoever has to log in is told so, and does it in a browser.
  const store = options.logins?.storeOf(principal);
  const given = await oauthOptionsOf({ auth }, resolve);
  return watch(oauth({ ...given, account: principal, store: store && watchStore(store, note) }), note);
}

/** The options of logins at an upstream. */
export async function oauthOptionsOf({ auth }: UpstreamConfig, resolve: Resolve): Promise<OAuthOptions> {
  if (auth === undefined || !("oauth" in auth)) throw new TypeError("Nobody logs in at this upstream.");
  const { client = {}, parameters, pkce } = auth.oauth;
  const { name = CLIENT_NAME, metadataUrl } = client;
  const known = client.issuer === undefined ? {} : await clientOf(client as UpstreamClientConfig, resolve);
  return {
    ...tokenOptions(auth.oauth),
    client: { name, ...(metadataUrl !== undefined && { metadataUrl }), ...known } as OAuthClient,
    ...(parameters !== undefined && { authorizationParameters: parameters }),
    ...(pkce !== undefined && { pkce }),
  };
}

function tokenOptions({ scopes, dpop, resource }: UpstreamTokenConfig): TokenOptions {
  return { scopes, dpop, resource };
}

async function clientOf(
  { id, issuer, secret, key, algorithm, keyId }: UpstreamClientConfig,
  resolve: Resolve,
): Promise<SecretCredentials | KeyCredentials> {
  if (key !== undefined) return { id, issuer, key: await resolve(key), algorithm, keyId };
  return { id, issuer, ...(secret !== undefined && { secret: await resolve(secret) }) } as SecretCredentials;
}

/** Notes the tokens that are sent. */
function watch(auth: ClientAuth, note: (secret: string) => void): ClientAuth {
  let last: string | undefined;
  const look = (fields: Awaited<ReturnType<ClientAuth["prepare"]>>): typeof fields => {
    const { authorization } = fields;
    if (authorization !== undefined && authorization !== last) {
      last = authorization;
      note(authorization.slice(authorization.indexOf(" ") + 1));
    }
    return fields;
  };
  return {
    prepare(request) {
      const fields = auth.prepare(request);
      return fields instanceof Promise ? fields.then(look) : look(fields);
    },
    answered: (request, status, header, sent) => auth.answered?.(request, status, header, sent),
    challenged: (refusal, options) => auth.challenged(refusal, options),
    extensions: auth.extensions,
    ...(auth.onAccount !== undefined && { onAccount: (server, listener) => auth.onAccount!(server, listener) }),
  };
}
