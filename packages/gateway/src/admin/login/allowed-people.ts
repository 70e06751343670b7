import type { AdminLoginConfig } from "../../config/config.ts";

/** The claims of an ID token whose signature was checked. */
export interface IdentityClaims {
  readonly sub: string;
  readonly [name: string]: unknown;
}

/**
 * Finds out whether a person may log in, and by which name changes of theirs are noted: a verified address, or else the
 * subject. `undefined` if the configuration does not name them.
 */
export function nameOfAllowed(claims: IdentityClaims, allow: AdminLoginConfig["allow"]): string | undefined {
  const { subjects = [], emails = [], claims: wanted = {} } = allow;
  // An address that nobody has verified can be anybody's.
  const { email } = claims;
  const verified = typeof email === "string" && claims["email_verified"] === true ? email : undefined;
  const isAllowed =
    subjects.includes(claims.sub) ||
    (verified !== undefined && emails.some((each) => each.toLowerCase() === verified.toLowerCase())) ||
    Object.entries(wanted).some(([name, values]) => hasOneOf(claims, name, values));
  return isAllowed ? (verified ?? claims.sub) : undefined;
}

function hasOneOf(claims: IdentityClaims, name: string, values: readonly string[]): boolean {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return [value].flat().some((each) => typeof each === "string" && values.includes(each));
}
