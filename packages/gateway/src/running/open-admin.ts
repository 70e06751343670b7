import { UsageError } from "@toolwire/server";
import { type AdminListener, type AdminListenerOptions, listenAdmin } from "../admin/admin-listener.ts";
import { createAdminToken } from "../admin/login/login.ts";
import { describeWeakToken } from "../config/check/gateway.ts";
import type { AdminLoginConfig } from "../config/config.ts";
import type { Gateway, GatewayOptions } from "../gateway.ts";
import { createGuardedFetch } from "../servers/guarded-fetch.ts";
import type { GatewayParts } from "./create-server-host.ts";

/** Opens the admin API and the page, unless they are turned off. */
export async function openAdmin(
  gateway: Gateway,
  parts: GatewayParts,
  { adminPort, adminToken }: GatewayOptions,
): Promise<AdminListener | undefined> {
  const { report, resolve } = parts;
  const { admin } = parts.config();
  if (admin === false) return undefined;
  const origin = admin?.publicUrl === undefined ? undefined : new URL(expectValue(admin.publicUrl, resolve)).origin;
  return listenAdmin(gateway, {
    host: admin?.host,
    port: adminPort ?? admin?.port ?? 8081,
    allowedHosts: [...(admin?.allowedHosts ?? []), ...(origin === undefined ? [] : [new URL(origin).hostname])],
    token: readToken(admin?.token, adminToken, parts),
    // Asked for once somebody logs in: the listener has its URL then.
    login: admin?.login && readLogin(admin.login, () => origin ?? gateway.adminUrl ?? "", parts),
    limits: parts.cluster?.limits,
    onLoginFailure: (message) => report({ level: "warning", message }),
    onError: (error, id) => report({ level: "error", message: `The admin API failed (id ${id}).`, error }),
  });
}

/** The token that is configured or given; or one for this run, of which the operator is told. */
function readToken(
  text: string | undefined,
  given: string | undefined,
  { resolve, report, storage: { redactor } }: GatewayParts,
): string {
  const configured = text === undefined ? given : resolve(text);
  if (configured !== undefined) {
    redactor.add(configured);
    // Of others, the check of the configuration has told already.
    const weakness = text?.includes("${secret:") === true ? describeWeakToken(configured) : undefined;
    if (weakness !== undefined) report({ level: "warning", message: `admin.token: ${weakness}` });
    return configured;
  }
  const token = createAdminToken();
  redactor.add(token);
  report({
    level: "info",
    message: "No admin token is configured. This one is for this run.",
    adminToken: token,
  });
  return token;
}

/** How people log in, with the secret of the gateway at their identity provider. */
function readLogin(
  config: AdminLoginConfig,
  origin: () => string,
  { callers, config: current, resolve, storage }: GatewayParts,
): NonNullable<AdminListenerOptions["login"]> {
  const { id, secret } = config.client;
  const resolved = secret === undefined ? undefined : expectValue(secret, resolve);
  if (resolved !== undefined) storage.redactor.add(resolved);
  const fetch = createGuardedFetch(callers.get(current().network ?? {}));
  return { ...config, issuer: expectValue(config.issuer, resolve), client: { id, secret: resolved }, fetch, origin };
}

/** The value of a text. Throws a `UsageError` if a secret in it is not set. */
function expectValue(text: string, resolve: GatewayParts["resolve"]): string {
  const value = resolve(text);
  if (value !== undefined) return value;
  throw new UsageError("INVALID_DEFINITION", `\`admin\` refers to a value that is not set: ${text}.`);
}
