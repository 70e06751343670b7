import type { Checks } from "./checks.ts";
import type { AccessRuleConfig, ServerConfig } from "../config.ts";
import { identifiesCallers } from "../identifies-callers.ts";
import { isLoopback } from "../loopback.ts";
import type { ConfigPath } from "../problem.ts";

/** Checks who access rules are for. Which tools they name is known when the tools are. */
export function checkAccess(server: ServerConfig, path: ConfigPath, checks: Checks): void {
  const { access = [], auth } = server;
  const isAnonymous = !identifiesCallers(server, isLoopback(checks.gateway.listen?.host));
  const takesTokensAlone = typeof auth === "object" && "oauth" in auth && auth.apiKeys !== true;
  const issuer = takesTokensAlone ? auth.oauth.issuer : undefined;
  const decider = access.findIndex(decidesAll);
  for (const [index, { principals = [] }] of access.entries()) {
    const place = [...path, "access", index, "principals"];
    for (const [position, pattern] of principals.entries()) {
      if (/^\**$/.test(pattern)) continue;
      if (isAnonymous) {
        checks.warn(
          [...place, position],
          "Nobody has this name: callers of this server have none. Set `auth: { apiKeys: true }` to tell them apart.",
        );
      } else if (takesTokensAlone && !canBeOfToken(pattern, issuer)) {
        checks.warn(
          [...place, position],
          'No token is of this principal. Theirs are `["issuer","subject"]`, so begin with `["` and the issuer.',
        );
      }
    }
  }
  if (decider !== -1 && decider < access.length - 1) {
    checks.warn(
      [...path, "access", decider + 1],
      `This rule decides nothing, because access[${decider}] fits every caller and every tool. Put it in front of that one.`,
    );
  }
}

function decidesAll({ principals = ["*"], scopes, tools }: AccessRuleConfig): boolean {
  return scopes === undefined && [principals, tools].every((list) => list.some((pattern) => /^\*+$/.test(pattern)));
}

/** Whether a pattern can match the principal of a token: the JSON text of its issuer and its subject. */
function canBeOfToken(pattern: string, issuer: string | undefined): boolean {
  // Issuers with references differ by environment.
  const start = issuer === undefined || issuer.includes("${") ? '["' : `["${issuer}","`;
  const star = pattern.indexOf("*");
  const fixed = star === -1 ? pattern : pattern.slice(0, star);
  return fixed.startsWith(start) || (star !== -1 && start.startsWith(fixed));
}
