/** Scopes: the permissions that a caller has, and that a definition asks for (RFC 6749, section 3.3). */
import { expectOption, invalidOption } from "@toolwire/protocol/internal";

/** The member of definitions that names the permissions which their callers need. */
export interface Scoped {
  /**
   * The scopes that a caller needs, all of them, such as `["files:write"]`. Callers without them are told which to ask for. They see
   * the definition in lists all the same: otherwise nobody would ask. Hide it with `accessControl`.
   */
  readonly scopes?: readonly string[] | undefined;
}

/** A `scope-token` of RFC 6749: visible ASCII without quotes and backslashes. It is safe within a header field. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const EXPECTED = 'text without spaces and quotes, such as "files:write"';

/**
 * Checks a list of scopes, and returns a copy without repetitions.
 *
 * @throws UsageError for an empty list, and for what is no scope
 */
export function readScopes(scopes: readonly string[]): readonly string[] {
  const isList = Array.isArray(scopes) && scopes.length > 0;
  expectOption("scopes", scopes, isList, `a list with at least one member, each ${EXPECTED}`);
  for (const [index, scope] of scopes.entries()) {
    if (typeof scope !== "string" || !SCOPE.test(scope)) throw invalidOption(`scopes[${index}]`, scope, EXPECTED);
  }
  return [...new Set(scopes)];
}

/** The scopes of a definition; `undefined` if it asks for none. */
export function scopesOf({ scopes }: Scoped): readonly string[] | undefined {
  return scopes === undefined ? undefined : readScopes(scopes);
}
