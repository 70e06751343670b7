import type { AccessRuleConfig } from "../config/config.ts";
import type { Principal } from "@toolwire/server";
import { matchAny } from "../upstreams/match-names.ts";

/** Decides whether a caller may see and call a tool. */
export type Allows = (caller: Pick<Principal, "id" | "scopes"> | undefined, tool: string) => boolean;

/** The id of the operation behind a tool, by which rules may mean it. */
export type OperationIdOf = (tool: string) => string | undefined;

/**
 * Compiles access rules. The first rule that fits a caller and a tool decides. If none fits, the call is allowed only if no
 * rule allows anything: who lists what is allowed means that nothing else is.
 */
export function compileAccess(
  rules: readonly AccessRuleConfig[] = [],
  operationIdOf: OperationIdOf = () => undefined,
): Allows {
  if (rules.length === 0) return () => true;
  const compiled = rules.map(({ principals = ["*"], scopes = [], tools, allow }) => ({
    fitsPrincipal: matchAny(principals),
    scopes,
    fitsTool: matchAny(tools),
    allow,
  }));
  const otherwise = !rules.some(({ allow }) => allow);
  return (caller, tool) => {
    const { id = "", scopes: held = [] } = caller ?? {};
    const operationId = operationIdOf(tool);
    const rule = compiled.find(
      ({ fitsPrincipal, fitsTool, scopes }) =>
        fitsPrincipal(id) &&
        (fitsTool(tool) || (operationId !== undefined && fitsTool(operationId))) &&
        scopes.every((scope) => held.includes(scope)),
    );
    return rule?.allow ?? otherwise;
  };
}
