/**
 * Which names a server answers to and which web pages may talk to it. A page on the web can make a visitor's browser
 * call a server on the visitor's own machine, by a cross-origin request or by DNS rebinding; the `Host` and `Origin`
 * headers give it away, since a page can forge neither. Every binding that has headers checks both.
 */
import { expectFunction, expectOption } from "../../define/check-options.ts";
import type { AdmissionOptions } from "./options.ts";

/** What a request asks for, and of whom where it says so itself. */
export interface RequestTarget {
  /** Path and query. */
  readonly path: string;
  /** Host and port, which then count instead of the `Host` header. */
  readonly authority: string | undefined;
}

/** The path of a target, without the query. */
export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}

/** The part of a path that a framework took off before it routed the rest; empty if it did something else. */
export function mountPathOf(path: string, routedPath: string): string {
  if (path.endsWith(routedPath)) return path.slice(0, -routedPath.length);
  // Express routes the mount itself as the root.
  return routedPath === "/" ? path : "";
}

/** Whether a target is just a path, as nearly all are. */
export function isPath(target: string): boolean {
  return target.startsWith("/");
}

/**
 * Takes a request target apart. It is a path nearly always; the absolute form, which proxies send, is to be understood all
 * the same (RFC 9112, section 3.2.2).
 */
export function readTarget(target: string): RequestTarget {
  const absolute = isPath(target) ? null : /^https?:\/\/([^/?#]*)([^#]*)/i.exec(target);
  if (absolute === null) return { path: target, authority: undefined };
  const [, authority = "", rest = ""] = absolute;
  return { path: rest.startsWith("/") ? rest : `/${rest}`, authority };
}

/** The names that only ever mean this machine. */
const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Who may connect, by the names that browsers and other clients send. Refuses options that say nothing sensible about it,
 * before anybody is refused because of them.
 */
export function readAdmissionOptions({
  allowedHosts,
  allowedOrigins,
  authenticate,
}: AdmissionOptions): AdmissionOptions {
  if (authenticate !== undefined) expectFunction("authenticate", authenticate);
  return {
    allowedHosts: readNames("allowedHosts", allowedHosts, readHost, "mcp.example.com"),
    allowedOrigins: readNames("allowedOrigins", allowedOrigins, readOrigin, "https://app.example.com"),
    authenticate,
  };
}

/** A list that matches nothing, or nothing that was meant, is a mistake. */
function readNames(
  option: string,
  names: readonly string[] | undefined,
  read: (name: string) => string | readonly string[],
  example: string,
): readonly string[] | undefined {
  try {
    return names === undefined ? names : names.flatMap((name) => (name === "*" ? name : read(name)));
  } catch {
    return expectOption(option, names, false, `a list such as ["${example}"]`);
  }
}

/** As most clients write it, and as it was written: some send what they were given, such as `127.1`. */
function readHost(name: string): readonly string[] {
  const port = name.slice(withoutPort(name).length).replace(/^:0+\B/, ":");
  return [withoutPort(readWebOrigin(`http://${name}/`).slice(7)) + port, name.toLowerCase()];
}

function readOrigin(name: string): string {
  // URLs know no origins of other schemes. A trailing slash is what people paste from the address bar.
  const other = /^(null$|file:\/\/$|(?!https?:)[a-z][^\s/]*:\/\/[^\s/*]+)\/?$/i.exec(name)?.[1];
  return other?.toLowerCase() ?? readWebOrigin(name);
}

/**
 * As browsers write it: in lower case, in ASCII, without the port that goes without saying. Throws if it is more or
 * less.
 */
function readWebOrigin(url: string): string {
  const { href, origin } = new URL(url);
  if (href === `${origin}/` && !/[\s*]|:\/?$/.test(url)) return origin;
  throw new TypeError(url);
}

/** Whether there were several `Host` headers, which are joined like others that are repeated. No name holds a space. */
export function namesSeveralHosts(host: string | undefined): boolean {
  return host?.includes(", ") === true;
}

/**
 * Whether a request with this `Host` header may be served. Entries are host names, such as `"mcp.example.com"` for any
 * port or `"mcp.example.com:8443"` for one; IPv6 addresses stand in brackets; `"*"` switches the check off. Without a
 * list only loopback names are allowed.
 */
export function isAllowedHost(host: string | undefined, allowed: readonly string[] = LOOPBACK_HOSTS): boolean {
  if (allowed.includes("*")) return true;
  if (!host) return false;
  const full = host.toLowerCase();
  const name = withoutPort(full);
  // The port of the scheme goes without saying, but whoever has ended TLS for us does not tell which scheme it was.
  const ports = full === name ? [":80", ":443", ""] : [full.slice(name.length), ""];
  return ports.some((port) => allowed.includes(name + port));
}

/**
 * Whether a request with this `Origin` header may be served; one without does not come from a web page. Entries are whole
 * origins, such as `"https://app.example.com"`; `"*"` switches the check off. Without a list those pages are allowed whose
 * own host is in `allowedHosts` (loopback, if that is absent too): a page may always call the server it came from.
 */
export function isAllowedOrigin(
  origin: string,
  allowedOrigins?: readonly string[],
  allowedHosts?: readonly string[],
): boolean {
  if (allowedOrigins !== undefined) {
    return allowedOrigins.includes("*") || allowedOrigins.includes(origin.toLowerCase());
  }
  // There is no host in `null`, nor in anything that is no http(s) origin.
  const [, secure, host = "", port = secure ? ":443" : ":80"] =
    /^http(s?):\/\/([^/?#@\s]+?)(:\d*)?$/i.exec(origin) ?? [];
  // Answering to any name is no reason to answer to any page.
  const hosts = allowedHosts?.filter((entry) => entry !== "*");
  return isAllowedHost(host + port, hosts?.length ? hosts : undefined);
}

/** Whether an address to listen on can be reached from this machine alone. */
export function isLoopbackAddress(address: string): boolean {
  const name = address.toLowerCase();
  return name === "localhost" || name === "::1" || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, "");
}
