/** The two ways RFC 6570 encodes a value (section 1.5 and 3.1). Both throw a URIError for half a surrogate pair. */

const NOT_RESERVED = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=%]+/g;

/** Encodes all but unreserved characters. */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encodes all but unreserved characters, reserved characters and percent-encoded triplets. */
export function encodeReserved(text: string): string {
  return text.replaceAll(NOT_RESERVED, (run) => encodeURIComponent(run));
}
