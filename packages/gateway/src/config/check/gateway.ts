import { checkNetwork } from "./addresses.ts";
import type { Checks } from "./checks.ts";
import type { ClusterConfig, GatewayConfig } from "../config.ts";
import { findGuessable } from "./guessable.ts";
import { isLoopback } from "../loopback.ts";
import { hasReferences } from "../references.ts";

/** The fewest bytes of the key that seals what travels through clients. */
const MIN_STATE_KEY = 32;

/** Checks everything of a gateway but its servers. */
export function checkGateway(
  { listen = {}, cluster, admin, analytics, network, serverCards, stateKey }: GatewayConfig,
  checks: Checks,
): void {
  if (listen.allowedHosts === undefined && listen.publicUrl === undefined && !isLoopback(listen.host)) {
    const example = "as in `allowedHosts: [mcp.example.com]`";
    checks.warn(["listen"], `Clients get a 403 until \`allowedHosts\` has the name by which they call, ${example}.`);
  }
  if (listen.publicUrl !== undefined) checks.publicUrl(listen.publicUrl, ["listen", "publicUrl"]);
  // Not to wait at all is a choice.
  if (listen.drain !== 0 && listen.drain !== "0s") checks.duration(listen.drain, ["listen", "drain"]);
  if (listen.workers !== undefined) checkWorkers(cluster, analytics, checks);
  if (cluster !== undefined) checkCluster(cluster, analytics, checks);
  if (admin !== undefined && admin !== false) checkAdmin(admin, checks);
  if (analytics !== undefined) checkAnalytics(analytics, checks);
  if (serverCards !== undefined && listen.publicUrl === undefined) {
    checks.error(["serverCards"], "Cards say by which URL clients reach a server: set `listen.publicUrl`.");
  }
  checkNetwork(network, ["network"], checks);
  if (stateKey === undefined) return;
  const key = checks.credential(stateKey, ["stateKey"]);
  if (key !== undefined && Buffer.byteLength(key) < MIN_STATE_KEY) {
    checks.error(
      ["stateKey"],
      `It must have at least ${MIN_STATE_KEY} random bytes, such as the output of \`openssl rand -base64 32\`.`,
    );
  }
}

/** The schemes of the URLs of engines. */
const ENGINE_URLS = { redis: /^rediss?:\/\//, postgres: /^postgres(?:ql)?:\/\// } as const;

function checkCluster(
  { engine, url, prefix, schema }: ClusterConfig,
  analytics: GatewayConfig["analytics"],
  checks: Checks,
): void {
  // Without a name and a password, it says only where the engine is.
  const isPublic = !hasReferences(url) && !url.includes("@");
  const filled = isPublic ? url : checks.credential(url, ["cluster", "url"]);
  if (filled !== undefined && !ENGINE_URLS[engine].test(filled)) {
    const expected = engine === "redis" ? "redis:// or rediss://" : "postgres://";
    checks.error(["cluster", "url"], `The URL of this engine begins with ${expected}.`);
  }
  if (engine === "redis" && schema !== undefined) {
    checks.error(["cluster", "schema"], "Redis has no schemas: `prefix`.");
  }
  if (engine === "postgres" && prefix !== undefined) {
    checks.error(["cluster", "prefix"], "Postgres has no prefix: `schema`.");
  }
  if (analytics?.store === "postgres") return;
  checks.warn(
    ["cluster"],
    "Keys, secrets, servers of the page, logins and the call log are not in the engine: each gateway has its own, until " +
      "`analytics: { store: postgres, url: … }` names a Postgres that all of them share.",
  );
}

function checkWorkers(cluster: ClusterConfig | undefined, analytics: GatewayConfig["analytics"], checks: Checks): void {
  if (cluster !== undefined) {
    checks.error(
      ["listen", "workers"],
      "`workers` cannot be combined with `cluster`: start one gateway for each core, on a port of its own.",
    );
  }
  if (analytics?.store === "memory") {
    checks.error(
      ["listen", "workers"],
      "Workers share what the gateway keeps, and memory cannot be shared: use `analytics.store: pglite`, which is the default, or `postgres`.",
    );
  }
}

function checkAdmin(admin: Exclude<GatewayConfig["admin"], false | undefined>, checks: Checks): void {
  const { host, token, publicUrl, login } = admin;
  if (token !== undefined) {
    const value = checks.credential(token, ["admin", "token"]);
    const weakness = value === undefined ? undefined : describeWeakToken(value);
    if (weakness !== undefined) checks.warn(["admin", "token"], weakness);
  }
  if (publicUrl !== undefined) checks.publicUrl(publicUrl, ["admin", "publicUrl"]);
  if (login !== undefined) {
    const { issuer, client } = login;
    checks.issuer(issuer, ["admin", "login", "issuer"]);
    if (client.secret !== undefined) checks.credential(client.secret, ["admin", "login", "client", "secret"]);
    if (publicUrl === undefined && !isLoopback(host)) {
      checks.error(["admin", "login"], "People come back from their login to the page: set `admin.publicUrl`.");
    }
  }
  if (!isLoopback(host)) checks.warn(["admin", "host"], "The admin API can be reached from other machines.");
}

/** What an operator is told about an admin token that can be guessed; `undefined` about others. */
export function describeWeakToken(token: string): string | undefined {
  const reason = findGuessable(token);
  if (reason === undefined) return undefined;
  return `This token can be guessed: ${reason}. Make one with \`openssl rand -base64 32\`.`;
}

function checkAnalytics({ store, url, retention = {} }: NonNullable<GatewayConfig["analytics"]>, checks: Checks): void {
  if (store === "postgres" && url === undefined) {
    checks.error(["analytics"], "With `store: postgres`, `url` is needed, as in `url: ${env:DATABASE_URL}`.");
  }
  if (store === "postgres" && (checks.sources.env["TOOLWIRE_GATEWAY_KEYS"] ?? "").trim() === "") {
    checks.warn(
      ["analytics", "store"],
      "TOOLWIRE_GATEWAY_KEYS is not set, so this gateway keeps no secrets: `toolwire-gateway secret set`, every " +
        "`${secret:name}`, and logins at upstreams fail. Set it to `k1:` and the output of `openssl rand -base64 32`, " +
        "the same on all gateways.",
    );
  }
  if (url !== undefined) checks.credential(url, ["analytics", "url"]);
  for (const [name, duration] of Object.entries(retention)) checks.duration(duration, ["analytics", "retention", name]);
}
