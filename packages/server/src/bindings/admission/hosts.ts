/**
 * The host names that a server answers to, and the web pages that may call it. A page on the web can make a visitor's browser
 * call a server on the visitor's own machine, by a cross-origin request or by DNS rebinding. The `Host` and `Origin` headers
 * reveal that, since a page can forge neither. Every binding that has headers checks both.
 */
import { expectOption, invalidOption } from "@toolwire/protocol/internal";
import { type CallerCheck, readCallerCheck } from "./caller-check.ts";
import type { AdmissionOptions } from "./options.ts";

/** The target of a request (RFC 9112, section 3.2). */
export interface RequestTarget {
  /** Path and query. */
  readonly path: string;
  /** Host and port of a target in absolute form. They replace the `Host` header. */
  readonly authority: string | undefined;
}

/** Returns the path of a target, without the query. */
export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}

/** Returns the prefix of a path that a framework has removed before it routed the rest; empty if it has not. */
export function mountPathOf(path: string, routedPath: string): string {
  if (path.endsWith(routedPath)) return path.slice(0, -routedPath.length);
  // Express routes the mount path itself as the root.
  return routedPath === "/" ? path : "";
}

/** Whether a target is just a path, as nearly all are. */
export function isPath(target: string): boolean {
  return target.startsWith("/");
}

/**
 * Parses a request target. It is nearly always a path, but servers must accept the absolute form, too (RFC 9112, section
 * 3.2.2).
 */
export function readTarget(target: string): RequestTarget {
  const absolute = isPath(target) ? null : /^https?:\/\/([^/?#]*)([^#]*)/i.exec(target);
  if (absolute === null) return { path: target, authority: undefined };
  const [, authority = "", rest = ""] = absolute;
  return { path: rest.startsWith("/") ? rest : `/${rest}`, authority };
}

/** The names that always mean this machine. */
const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** The options of admission in the form in which bindings use them. */
export interface AdmissionSettings extends Pick<AdmissionOptions, "allowedHosts" | "allowedOrigins"> {
  /** Decides on callers; `undefined` lets everybody in. */
  readonly callerCheck: CallerCheck | undefined;
}

/**
 * Reads the options of admission, and normalizes names to the form in which browsers and other clients send them.
 *
 * @throws UsageError for names that no client would send
 */
export function readAdmissionOptions(options: AdmissionOptions): AdmissionSettings {
  const { allowedHosts, allowedOrigins } = options;
  return {
    callerCheck: readCallerCheck(options),
    allowedHosts: readNames("allowedHosts", allowedHosts, readHost, 'a host such as "mcp.example.com"'),
    allowedOrigins: readNames(
      "allowedOrigins",
      allowedOrigins,
      readOrigin,
      'an origin such as "https://app.example.com"',
    ),
  };
}

/** Normalizes a list of names. A name that cannot match anything is a mistake. */
function readNames(
  option: string,
  names: readonly string[] | undefined,
  read: (name: string) => string | readonly string[],
  expected: string,
): readonly string[] | undefined {
  if (names === undefined) return names;
  expectOption(option, names, Array.isArray(names), `an array, each member ${expected}`);
  return names.flatMap((name, index) => {
    try {
      return name === "*" ? name : read(name);
    } catch {
      throw invalidOption(`${option}[${index}]`, name, expected);
    }
  });
}

/** Returns a host as most clients send it, and as it was written: some clients do not normalize, for example `127.1`. */
function readHost(name: string): readonly string[] {
  const port = name.slice(withoutPort(name).length).replace(/^:0+\B/, ":");
  return [withoutPort(readWebOrigin(`http://${name}/`).slice(7)) + port, name.toLowerCase()];
}

function readOrigin(name: string): string {
  // `URL` has no origins for other schemes. The trailing slash comes from address bars.
  const other = /^(null$|file:\/\/$|(?!https?:)[a-z][^\s/]*:\/\/[^\s/*]+)\/?$/i.exec(name)?.[1];
  return other?.toLowerCase() ?? readWebOrigin(name);
}

/**
 * Returns an origin as browsers send it: in lower case, in ASCII, without the default port. Throws if the URL is not just an
 * origin.
 */
function readWebOrigin(url: string): string {
  const { href, origin } = new URL(url);
  if (href === `${origin}/` && !/[\s*]|:\/?$/.test(url)) return origin;
  throw new TypeError(url);
}

/** Whether there were several `Host` headers: adapters join repeated headers, and no host name contains a space. */
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
  // The default port is left out by clients, and a proxy that terminates TLS does not tell which scheme it was.
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
  // Other origins, such as `null`, have no host.
  const [, secure, host = "", port = secure ? ":443" : ":80"] =
    /^http(s?):\/\/([^/?#@\s]+?)(:\d*)?$/i.exec(origin) ?? [];
  // A server that answers to any host name still does not answer to any page.
  const hosts = allowedHosts?.filter((entry) => entry !== "*");
  return isAllowedHost(host + port, hosts?.length ? hosts : undefined);
}

/** Whether only this machine can reach an address to listen on. */
export function isLoopbackAddress(address: string): boolean {
  const name = address.toLowerCase();
  return name === "localhost" || name === "::1" || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, "");
}
