import { UsageError } from "@toolwire/server";
import type { Checks } from "./checks.ts";
import type { OAuthConfig, ServerConfig } from "../config.ts";
import { createPresetVerifier } from "../oauth-presets.ts";
import type { ConfigPath } from "../problem.ts";

/** Checks who may call a server: its tokens, and the scopes that its tools need. */
export function checkServerAuth(server: ServerConfig, path: ConfigPath, checks: Checks): void {
  const { auth } = server;
  const hasTokens = typeof auth === "object" && "oauth" in auth;
  if (!hasTokens) {
    for (const place of placesOfScopes(server)) {
      checks.error(
        [...path, ...place],
        "Only tokens have scopes: set `auth: { oauth: { issuer: … } }` for this server.",
      );
    }
    return;
  }
  const { issuer, preset, jwksUri, introspection, audience, boundBy, requiredClaims, algorithms } = auth.oauth;
  const at = [...path, "auth", "oauth"];
  if (checks.gateway.listen?.publicUrl === undefined) {
    const example = "as in `https://mcp.example.com`";
    checks.error(at, `Tokens are for the public URL of this server: set \`listen.publicUrl\`, ${example}.`);
  }
  if (preset !== undefined) {
    checkPreset(auth.oauth, at, checks);
    return;
  }
  if (issuer === undefined) checks.error(at, "Name the `issuer` of tokens, or use a `preset`.");
  else checks.issuer(issuer, [...at, "issuer"]);
  if (jwksUri !== undefined) checks.issuer(jwksUri, [...at, "jwksUri"]);
  if (introspection !== undefined) {
    checks.issuer(introspection.endpoint, [...at, "introspection", "endpoint"]);
    checks.credential(introspection.client.secret, [...at, "introspection", "client", "secret"]);
    if (jwksUri !== undefined || algorithms !== undefined) {
      checks.error(at, "With `introspection`, the issuer checks tokens: leave out `jwksUri` and `algorithms`.");
    }
  }
  if (boundBy === "issuer" && audience !== undefined) {
    checks.error([...at, "audience"], "With `boundBy: issuer`, tokens have no audience.");
  }
  if (boundBy === "issuer" && requiredClaims === undefined) {
    const message =
      "Every token of the issuer opens this server. Tell its tokens apart by `requiredClaims`, if you can.";
    checks.warn([...at, "boundBy"], message);
  }
}

/** A preset has everything about the issuer. Scopes and DPoP are the server's own. */
function checkPreset(oauth: OAuthConfig, path: ConfigPath, checks: Checks): void {
  const own = new Set(["preset", "scopes", "implies", "dpop"]);
  const other = Object.keys(oauth).find((name) => !own.has(name));
  if (other !== undefined) {
    checks.error([...path, other], "A `preset` says this: leave it out, or leave out the preset.");
  }
  try {
    if (oauth.preset !== undefined) createPresetVerifier(oauth.preset, () => Promise.reject(new Error("Not now.")));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    checks.error([...path, "preset"], error.message);
  }
}

function placesOfScopes({ tools = {}, overrides = {}, access = [] }: ServerConfig): readonly ConfigPath[] {
  return [
    ...Object.entries(tools).flatMap(([name, { scopes }]) => (scopes ? [["tools", name, "scopes"]] : [])),
    ...Object.entries(overrides).flatMap(([name, { scopes }]) => (scopes ? [["overrides", name, "scopes"]] : [])),
    ...access.flatMap(({ scopes }, index) => (scopes ? [["access", index, "scopes"]] : [])),
  ];
}
