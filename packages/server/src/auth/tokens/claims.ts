import { escapeUnprintable } from "@toolwire/protocol/internal";
import { type Claims, TokenRefused } from "./verified.ts";

/** The most levels that claims may be nested. */
const MAX_LEVELS = 32;

/** Whether a value is nested no deeper than claims and documents may be. */
export function isShallow(value: unknown, levels: number = MAX_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}

/** Freezes claims with everything in them: requests share them. They have to be shallow. */
export function freezeClaims<T>(value: T): T {
  // Whatever is no object counts as frozen.
  if (Object.isFrozen(value)) return value;
  Object.values(value as object).forEach(freezeClaims);
  return Object.freeze(value);
}

/** The most characters of a claim that a diagnostic shows. */
const MAX_SHOWN = 200;

/** A claim that is no secret, such as an issuer or an audience, as a diagnostic shows it. */
export function showClaim(value: unknown): string {
  if (value === undefined) return "absent";
  return escapeUnprintable(JSON.stringify(value)).slice(0, MAX_SHOWN);
}

/** The text of the first of these claims that is one. */
export function readTextClaim(claims: Claims, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/** A point in time of a claim, in milliseconds. */
export function readTimeClaim(claims: Claims, name: "exp" | "nbf" | "iat"): number | undefined {
  const seconds = claims[name];
  if (seconds === undefined) return undefined;
  if (typeof seconds === "number" && Number.isFinite(seconds)) return Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER);
  throw new TokenRefused(`its \`${name}\` is no number`);
}

/** Checks the times of a token. Tolerance is for clocks that differ, and does not lengthen the life of a token. */
export function checkTimes(claims: Claims, tolerance: number, now: number): void {
  const [expires, begins, issued] = [
    readTimeClaim(claims, "exp"),
    readTimeClaim(claims, "nbf"),
    readTimeClaim(claims, "iat"),
  ];
  if (expires !== undefined && expires <= now) throw new TokenRefused("it has expired");
  if (begins !== undefined && begins > now + tolerance) throw new TokenRefused("it is not valid yet (`nbf`)", true);
  if (issued !== undefined && issued > now + tolerance) {
    throw new TokenRefused("it was issued in the future (`iat`): do the clocks differ?", true);
  }
}

/**
 * The thumbprint of the key that a token is bound to. Other ways to bind a token, such as to a certificate (RFC 8705), cannot be
 * checked here. Such a token is refused: its owner counts on the check.
 */
export function readKeyThumbprint(claims: Claims): string | undefined {
  const { cnf } = claims;
  if (cnf === undefined) return undefined;
  const { jkt, ...others } = (typeof cnf === "object" && cnf !== null ? cnf : {}) as Record<string, unknown>;
  if (typeof jkt === "string" && jkt !== "" && Object.keys(others).length === 0) return jkt;
  throw new TokenRefused(
    `it is bound in a way that is not supported (\`cnf\` has ${Object.keys(cnf ?? {}).join(", ")})`,
  );
}

/** The claims that must have one of these values, by name; `true` for any. A claim that is a list must contain one of them. */
export type RequiredClaims = { readonly [name: string]: string | readonly string[] | true };

/** Checks that claims have the values that they must have. */
export function checkRequiredClaims(claims: Claims, required: RequiredClaims): void {
  for (const [name, wanted] of Object.entries(required)) {
    const found: readonly unknown[] = [Object.hasOwn(claims, name) ? claims[name] : undefined].flat();
    const isWanted = (value: unknown): boolean =>
      wanted === true ? value !== undefined : [wanted].flat().includes(value as string);
    if (!found.some(isWanted)) {
      throw new TokenRefused(`its \`${name}\` is not one of those in \`requiredClaims\``);
    }
  }
}
