import { MetaKey, type NotificationMessage, type RequestMessage, UsageError } from "@toolwire/protocol";
import { encodeHeaderValue, NAME_HEADER_MEMBERS } from "@toolwire/protocol/internal";
import { hasCredentials } from "../../server-url.ts";

/** Headers by name. */
export type HeadersNow = Readonly<Record<string, string>>;

/**
 * Headers in any usual form: an object, `Headers`, or pairs. They are read again for every request, so an iterator,
 * which has no `entries`, is not accepted.
 */
export type GivenHeaders = HeadersNow | (Iterable<readonly [name: string, value: string]> & { entries(): unknown });

/**
 * Reads header fields in any form. Names are case-insensitive (RFC 9110, 5.1): the values of fields with the same name are
 * joined (5.3; for cookies RFC 6265, 4.2.1).
 */
export function readHeaders(given: GivenHeaders): Record<string, string> {
  const whole = { __proto__: null } as unknown as Record<string, string>;
  // A `Headers` object has no entries of its own: spreading it would silently drop the credentials.
  const pairs: Iterable<readonly [unknown, unknown]> = Symbol.iterator in given ? given : Object.entries(given);
  for (const [key, value] of pairs) {
    const name = String(key).toLowerCase();
    // An unset environment variable would be sent as the text "undefined". The value is not shown: it may be a secret.
    if (typeof value !== "string") throw new UsageError("INVALID_ARGUMENT", `The header ${name} must be a string.`);
    whole[name] = name in whole ? `${whole[name]}${name === "cookie" ? ";" : ","} ${value}` : value;
  }
  return whole;
}

/** Adds the header fields of the protocol to those of an application; those of the protocol win. */
export function overlay(own: GivenHeaders, headers: HeadersNow): Record<string, string> {
  return Object.assign(readHeaders(own), headers);
}

const JSON_TYPE = "application/json";
const RESPONSE_TYPES = "application/json, text/event-stream";

/** The header fields of every POST. */
export function postHeaders(): Record<string, string> {
  return { "content-type": JSON_TYPE, accept: RESPONSE_TYPES };
}

type Fields = { readonly [key: string]: unknown };

/** The revision that a message names in its `_meta`. Only modern messages do. */
export function revisionOf({ params }: RequestMessage | NotificationMessage): string | undefined {
  const revision = ((params as Fields | undefined)?.["_meta"] as Fields | undefined)?.[MetaKey.ProtocolVersion];
  return typeof revision === "string" ? revision : undefined;
}

/**
 * The header fields of a modern message. They repeat parts of its body, so that intermediaries need not parse it
 * (2026-07-28, "Request Headers"). `own` are further ones, such as repeated arguments of a tool.
 */
export function modernHeaders(
  { method, params }: RequestMessage | NotificationMessage,
  revision: string,
  own?: HeadersNow,
): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": JSON_TYPE,
    accept: RESPONSE_TYPES,
    "mcp-protocol-version": revision,
    "mcp-method": method,
  };
  const key = NAME_HEADER_MEMBERS.get(method);
  const name = key === undefined ? undefined : (params as Fields | undefined)?.[key];
  if (typeof name === "string") headers["mcp-name"] = encodeHeaderValue(name);
  return own === undefined ? headers : Object.assign(headers, own);
}

const MAX_REDIRECTS = 5;

/** The address to which a redirect leads; `undefined` if it must not be followed. `step` counts from 1. */
export function redirectTarget(from: URL, status: number, location: string | undefined, step: number): URL | undefined {
  // The other redirects would turn a POST into a GET.
  const isRedirect = status === 307 || status === 308;
  return isRedirect && location !== undefined && step <= MAX_REDIRECTS ? readAddress(location, from) : undefined;
}

/** Reads an address that a server names; `undefined` if nothing must be sent there. */
export function readAddress(address: string, from: URL): URL | undefined {
  const target = URL.canParse(address, from) ? new URL(address, from) : undefined;
  // A server behind a proxy that ends TLS does not know that its own address has the scheme https.
  if (target?.host === from.host && from.protocol === "https:") target.protocol = "https:";
  // Credentials, session ids and arguments must not reach another origin.
  return target?.origin === from.origin && !hasCredentials(target) ? target : undefined;
}
