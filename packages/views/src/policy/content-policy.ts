import type { ViewCsp } from "@toolwire/protocol/views";

/**
 * The content policy of a view: what it has inline, and the origins that it declares. Origins that are none are left out.
 *
 * It is stricter than the policy that the extension demands (2026-01-26, "Host Behavior", which allows that): `'self'` is missing, since
 * a view has no origin of its own, and `form-action` is there, since `default-src` does not cover it.
 *
 * It uses nothing but its parameters, because sandbox pages contain its text.
 */
export function contentPolicy(csp: ViewCsp | undefined, isSource: (text: unknown) => boolean): string {
  const list = (sources: readonly string[] | undefined, ...always: readonly string[]): string => {
    const allowed = [...always, ...(Array.isArray(sources) ? (sources as readonly string[]).filter(isSource) : [])];
    return allowed.length === 0 ? "'none'" : allowed.join(" ");
  };
  const resources = csp?.resourceDomains;
  return [
    "default-src 'none'",
    `script-src ${list(resources, "'unsafe-inline'")}`,
    `style-src ${list(resources, "'unsafe-inline'")}`,
    `img-src ${list(resources, "data:")}`,
    `media-src ${list(resources, "data:")}`,
    `font-src ${list(resources)}`,
    `connect-src ${list(csp?.connectDomains)}`,
    `frame-src ${list(csp?.frameDomains)}`,
    "object-src 'none'",
    `base-uri ${list(csp?.baseUriDomains)}`,
    "form-action 'none'",
  ].join("; ");
}
