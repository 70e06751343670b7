import { InsufficientScope } from "../errors.ts";
import type { Definition } from "../registry/definition.ts";
import type { ServedRequest } from "./served-request.ts";

/**
 * Throws unless the caller has all of these scopes. The error names them all, and those that the definition and the handler have asked
 * for before: a client that asks for them one by one would have to log in as often.
 *
 * @throws InsufficientScope if one is missing, or nobody is authenticated
 */
export function requireScopes(request: ServedRequest, scopes: readonly string[]): void {
  const needed = request.scopes === undefined ? scopes : [...new Set([...request.scopes, ...scopes])];
  if (!hasScopes(request, scopes)) {
    throw request.principal === undefined ? nobody(request, needed) : new InsufficientScope(needed);
  }
  request.scopes = needed;
}

/** Whether the caller has all of these scopes. A local one that nobody has named has every scope. */
export function hasScopes({ principal, origin }: ServedRequest, scopes: readonly string[]): boolean {
  if (principal === undefined && origin.isLocal === true) return true;
  const held = principal?.scopes ?? [];
  return scopes.every((scope) => held.includes(scope));
}

/** Throws unless the caller has the scopes of the definition that its request names, if there are any. */
export function requireScopesOf(request: ServedRequest, scopes: readonly string[] | undefined): void {
  if (scopes !== undefined) requireScopes(request, scopes);
}

/** The servers whose operators were told that they authenticate nobody. Once is enough: the callers choose how often they call. */
const reported = new WeakSet<Definition>();

/** Warns the operator: where callers are not authenticated, definitions with scopes cannot be called at all. */
function nobody({ definition, method, origin }: ServedRequest, needed: readonly string[]): InsufficientScope {
  const error = new InsufficientScope(
    needed,
    `This needs the scopes ${needed.join(", ")}, but nobody is authenticated here. The server's operator has to set the option \`auth\`.`,
  );
  if (reported.has(definition)) return error;
  reported.add(definition);
  const message = `${method} over ${origin.binding} was refused, as will be others like it. ${error.message}`;
  definition.diagnose({ level: "warning", message });
  return error;
}
