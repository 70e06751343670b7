import { TokenRefused } from "./verified.ts";
import { showClaim } from "./claims.ts";

/** How audiences are compared. */
export interface AudienceRule {
  /** The audiences that stand for this server. */
  readonly accepted: readonly string[];
  /** Whether a token that is also for others is refused. */
  readonly isExclusive: boolean;
}

/** Checks whom a token is for (RFC 9068, section 4). Texts are compared as they are. */
export function checkAudience(audience: unknown, { accepted, isExclusive }: AudienceRule): void {
  const named: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
  const isOurs = named.some((name) => typeof name === "string" && accepted.includes(name));
  if (!isOurs) {
    const wish = accepted.map((name) => JSON.stringify(name)).join(" or ");
    throw new TokenRefused(`its audience is ${showClaim(audience)}, not ${wish}`);
  }
  if (!isExclusive || named.every((name) => typeof name === "string" && accepted.includes(name))) return;
  throw new TokenRefused(`it is for others as well: its audience is ${showClaim(audience)}`);
}

/**
 * The audiences that a resource has in tokens. An origin is the same URL with a slash and without (RFC 3986, section 6.2.3), and
 * clients that keep URLs as objects always write the slash.
 */
export function audiencesOf(resource: string): readonly string[] {
  const { origin, pathname } = new URL(resource);
  if (pathname !== "/") return [resource];
  return [...new Set([resource, resource.endsWith("/") ? resource.slice(0, -1) : `${resource}/`, origin])];
}
