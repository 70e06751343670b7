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

/** The header fields by name, in whichever form they were given. */
export function readHeaders(given: GivenHeaders): HeadersNow {
  // Spreading a `Headers` object gives nothing, and with it would go the credentials, without a word.
  // As an object, because of anything else the error would repeat it whole, and it may be a token.
  return Symbol.iterator in Object(given)
    ? Object.fromEntries(given as Iterable<readonly [string, string]>)
    : (given as HeadersNow);
}

/**
 * Header fields of an application with those of the protocol on top. Names know no case (RFC 9110, 5.1): what differs in
 * nothing else is the same field, and the protocol's own wins.
 */
export function overlay(own: GivenHeaders, headers: HeadersNow): Record<string, string> {
  const whole: Record<string, string> = {};
  for (const [name, value] of Object.entries(readHeaders(own))) whole[name.toLowerCase()] = value;
  return Object.assign(whole, headers);
}
