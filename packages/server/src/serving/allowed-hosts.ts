/**
 * Which names a server answers to and which web pages may talk to it. A page on the web can make a visitor's browser
 * call a server on the visitor's own machine, by a cross-origin request or by DNS rebinding; the `Host` and `Origin`
 * headers give it away, since a page can forge neither. Every binding that has headers checks both.
 */

import { expectFunction, expectOption } from "../definition/expect-option.ts";
import type { AdmissionOptions } from "./admission-options.ts";

/** The names that only ever mean this machine. */
const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Refuses options that say nothing sensible about who may connect, before anybody is refused because of them. */
export function checkAdmission({ allowedHosts, allowedOrigins, authenticate }: AdmissionOptions): void {
  expectNames("allowedHosts", allowedHosts, /^(\*|\[[^\s/*]+|[^\s/*:]+(:\d+)?)$/, "mcp.example.com");
  expectNames(
    "allowedOrigins",
    allowedOrigins,
    /^(\*|null|file:\/\/|[a-z][^\s/]*:\/\/[^\s/*]+\/?)$/i,
    "https://app.example.com",
  );
  if (authenticate !== undefined) expectFunction("authenticate", authenticate);
}

/** A list that matches nothing, or nothing that was meant, is a mistake. */
function expectNames(option: string, names: readonly string[] = [], form: RegExp, example: string): void {
  const fits = Array.isArray(names) && names.every((name) => typeof name === "string" && form.test(name));
  expectOption(option, names, fits, `a list such as ["${example}"]`);
}

/**
 * Whether a request with this `Host` header may be served. Entries are host names, such as `"mcp.example.com"` for any
 * port or `"mcp.example.com:8443"` for one; IPv6 addresses stand in brackets; `"*"` switches the check off. Without a
 * list only loopback names are allowed.
 */
export function isAllowedHost(host: string | undefined, allowed: readonly string[] = LOOPBACK_HOSTS): boolean {
  if (allowed.includes("*")) return true;
  if (host === undefined || host === "") return false;
  const full = host.toLowerCase();
  const names = [full, full.replace(/:\d*$/, "")];
  return allowed.some((entry) => names.includes(entry.toLowerCase()));
}

/**
 * Whether a request with this `Origin` header may be served. A request without one does not come from a web page and
 * passes. Entries are whole origins, such as `"https://app.example.com"`; `"*"` switches the check off. Without a list
 * those pages are allowed whose own host is in `allowedHosts` (loopback, if that is absent too): a page may always call
 * the server it came from.
 */
export function isAllowedOrigin(
  origin: string | undefined,
  allowedOrigins?: readonly string[],
  allowedHosts?: readonly string[],
): boolean {
  if (origin === undefined) return true;
  if (allowedOrigins !== undefined) {
    return allowedOrigins.includes("*") || allowedOrigins.some((entry) => sameOrigin(entry, origin));
  }
  // There is none in `null`, nor in anything that is no http(s) origin.
  const host = /^https?:\/\/([^/?#@\s]+)$/i.exec(origin)?.[1];
  // Answering to any name is no reason to answer to any page.
  const hosts = allowedHosts?.filter((entry) => entry !== "*");
  return isAllowedHost(host, hosts?.length === 0 ? undefined : hosts);
}

/** Whether an address to listen on can be reached from this machine alone. */
export function isLoopbackAddress(address: string): boolean {
  const name = address.toLowerCase();
  return name === "localhost" || name === "::1" || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** A trailing slash is what people paste from the address bar; no `Origin` header has one but `file://`. */
function sameOrigin(entry: string, origin: string): boolean {
  return entry.toLowerCase().replace(/([^/])\/$/, "$1") === origin.toLowerCase();
}
