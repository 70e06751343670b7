import { UsageError } from "@toolwire/protocol";

/** Headers by name. */
export type HeadersNow = Readonly<Record<string, string>>;

/**
 * Headers in any usual form: an object, `Headers`, or pairs. They are read again for every request, so an iterator,
 * which has no `entries`, is not accepted.
 */
export type GivenHeaders = HeadersNow | (Iterable<readonly [name: string, value: string]> & { entries(): unknown });

/** Whether this can be header fields, or none at all. A list without pairs is none; what else is in it may be a token. */
export function areHeaders(given: unknown): boolean {
  if (Array.isArray(given)) return given.every(Array.isArray);
  return given === undefined || (typeof given === "object" && given !== null);
}

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
