import { type Message, MetaKey, UsageError } from "@toolwire/protocol";
import { encodeHeaderValue, NAMED_BY } from "@toolwire/protocol/internal";
import { hasCredentials } from "../../server-url.ts";

/** Headers by name. */
export type HeadersNow = Readonly<Record<string, string>>;

/**
 * Headers in any usual form: an object, `Headers`, or pairs. They are read again for every request, so an iterator,
 * which has no `entries`, is not accepted.
 */
export type GivenHeaders = HeadersNow | (Iterable<readonly [name: string, value: string]> & { entries(): unknown });

/**
 * The header fields by name, in whichever form they were given. Names know no case (RFC 9110, 5.1): those that differ in
 * nothing else are the same field, whose values are joined (5.3; for cookies RFC 6265, 4.2.1).
 */
export function readHeaders(given: GivenHeaders): Record<string, string> {
  const whole = { __proto__: null } as unknown as Record<string, string>;
  // Spreading a `Headers` object gives nothing, and with it would go the credentials, without a word.
  const pairs: Iterable<readonly [unknown, unknown]> = Symbol.iterator in given ? given : Object.entries(given);
  for (const [key, value] of pairs) {
    const name = String(key).toLowerCase();
    // An environment variable that is not set would be sent as the text "undefined". What it is may be a secret.
    if (typeof value !== "string") throw new UsageError("INVALID_ARGUMENT", `The header ${name} must be a string.`);
    whole[name] = name in whole ? `${whole[name]}${name === "cookie" ? ";" : ","} ${value}` : value;
  }
  return whole;
}

/** Header fields of an application with those of the protocol on top, which win. */
export function overlay(own: GivenHeaders, headers: HeadersNow): Record<string, string> {
  return Object.assign(readHeaders(own), headers);
}

type Fields = { readonly [key: string]: unknown };

/**
 * The headers that repeat parts of a modern message, so that intermediaries need not parse its body. `undefined` for a
 * legacy one: only modern messages say in their `_meta` which revision they are written in.
 */
export function modernHeaders(message: Message): Readonly<Record<string, string>> | undefined {
  if (!("method" in message)) return undefined;
  const { method } = message;
  const params = (message.params ?? {}) as Fields;
  const revision = (params["_meta"] as Fields | undefined)?.[MetaKey.ProtocolVersion];
  if (typeof revision !== "string") return undefined;
  const headers: Record<string, string> = { "mcp-protocol-version": revision, "mcp-method": method };
  const key = NAMED_BY.get(method);
  const name = key === undefined ? undefined : params[key];
  if (typeof name === "string") headers["mcp-name"] = encodeHeaderValue(name);
  return headers;
}

const MAX_REDIRECTS = 5;

/**
 * Where an answer sends its request on to; `undefined` if nowhere, or if that must not be followed. `step` counts from
 * 1.
 */
export function redirectTarget(from: URL, status: number, location: string | undefined, step: number): URL | undefined {
  // The other redirects would make a GET of it.
  const isRedirect = status === 307 || status === 308;
  return isRedirect && location !== undefined && step <= MAX_REDIRECTS ? readAddress(location, from) : undefined;
}

/** An address that a server names; `undefined` if nothing must be sent there. */
export function readAddress(address: string, from: URL): URL | undefined {
  const target = URL.canParse(address, from) ? new URL(address, from) : undefined;
  // Behind a proxy that ends TLS, servers call themselves by what they see of it.
  if (target?.host === from.host && from.protocol === "https:") target.protocol = "https:";
  // Credentials, session ids and arguments go to the origin they were meant for, and to no other.
  return target?.origin === from.origin && !hasCredentials(target) ? target : undefined;
}
