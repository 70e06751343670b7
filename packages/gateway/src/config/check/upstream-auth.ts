import type { Checks } from "./checks.ts";
import type { ServerConfig, UpstreamClientConfig, UpstreamConfig, UpstreamOAuthConfig } from "../config.ts";
import { isLoopback } from "../loopback.ts";
import { identifiesCallers } from "../identifies-callers.ts";
import type { ConfigPath } from "../problem.ts";

/** Whether each caller of an upstream logs in. */
export function isLoginPerUser({ auth }: UpstreamConfig): boolean {
  return auth !== undefined && "oauth" in auth && auth.oauth.shared !== true;
}

/** Checks how the gateway authenticates to an upstream. */
export function checkUpstreamAuth(
  upstream: UpstreamConfig,
  server: ServerConfig,
  place: ConfigPath,
  checks: Checks,
): void {
  const { auth, url, headers = {}, perUser } = upstream;
  if (auth === undefined) return;
  const path = [...place, "auth"];
  if (url === undefined) {
    checks.error(path, "`auth` is for upstreams with a `url`. A program gets its credentials by `env`.");
  }
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) {
    checks.error(
      [...place, "headers"],
      "`auth` sends the header `authorization`: leave it out here, or leave out `auth`.",
    );
  }
  const isPerUser = perUser === true;
  const checkTexts = (values: object, at: ConfigPath): void => {
    for (const name of ["secret", "key", "assertion", "idToken", "refreshToken"]) {
      const text = (values as { readonly [name: string]: unknown })[name];
      if (typeof text === "string") checks.secret(text, [...at, name], isPerUser);
    }
    const { issuer } = values as { readonly issuer?: string };
    if (issuer !== undefined) checks.issuer(issuer, [...at, "issuer"]);
  };
  if ("bearer" in auth) checks.secret(auth.bearer, [...path, "bearer"], isPerUser);
  else if ("clientCredentials" in auth) {
    const at = [...path, "clientCredentials"];
    checkTexts(auth.clientCredentials, at);
    expectProof(auth.clientCredentials, at, checks);
  } else if ("workload" in auth) checkTexts(auth.workload, [...path, "workload"]);
  else if ("enterprise" in auth) {
    const at = [...path, "enterprise"];
    const { idp, client, idToken, refreshToken } = auth.enterprise;
    checkTexts(auth.enterprise, at);
    checkTexts(idp, [...at, "idp"]);
    checkTexts(client, [...at, "client"]);
    if ((idToken === undefined) === (refreshToken === undefined)) {
      checks.error(at, "It needs the `idToken` of the user or, in place of it, the `refreshToken` of that login.");
    }
  } else {
    const at = [...path, "oauth"];
    checkTexts(auth.oauth.client ?? {}, [...at, "client"]);
    checkOAuth(auth.oauth, isPerUser, server, at, checks);
  }
}

function checkOAuth(
  oauth: UpstreamOAuthConfig,
  isPerUser: boolean,
  server: ServerConfig,
  path: ConfigPath,
  checks: Checks,
): void {
  const client = oauth.client ?? {};
  const hasCredentials = client.id !== undefined || client.secret !== undefined || client.key !== undefined;
  if (hasCredentials && client.issuer === undefined) {
    checks.error(
      [...path, "client"],
      "A client that is known names the `issuer` that knows it. Its secret is sent nowhere else.",
    );
  }
  if (oauth.pkce === "assume" && client.issuer === undefined) {
    checks.error([...path, "pkce"], "`assume` needs a `client` with an `issuer`.");
  }
  const { listen = {}, analytics = {} } = checks.gateway;
  if (listen.publicUrl === undefined) {
    checks.error(
      path,
      "People come back from their login to the gateway: set `listen.publicUrl`, as in `https://mcp.example.com`.",
    );
  }
  if (analytics.store === "postgres" && (checks.sources.env["TOOLWIRE_GATEWAY_KEYS"] ?? "") === "") {
    checks.error(path, "Tokens are kept sealed, and Postgres needs the keys for that: set TOOLWIRE_GATEWAY_KEYS.");
  }
  if (oauth.shared === true) {
    if (isPerUser) checks.error(path, "`shared` is one login for all callers, and `perUser` one for each: choose.");
    return;
  }
  if (!identifiesCallers(server, isLoopback(listen.host))) {
    const advice = "Set `auth: { apiKeys: true }` for this server, or `shared: true` here.";
    checks.error(path, `Each caller logs in, so callers must be told apart. ${advice}`);
  }
}

/** A machine proves who it is by a secret or by a key. */
function expectProof({ secret, key }: UpstreamClientConfig, path: ConfigPath, checks: Checks): void {
  if ((secret === undefined) !== (key === undefined)) return;
  checks.error(path, "It needs a `secret` or, better, a private `key`.");
}
