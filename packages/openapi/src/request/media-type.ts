/** Media types (RFC 9110, section 8.3.1). */

/** Type and subtype with optional parameters, of characters that are safe in a header. */
const MEDIA_TYPE =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\w !#$&^.+/:=?@,;()<>'-]*"))*$/;

/** Whether a text is one media type, such as `text/plain; charset=utf-8`. */
export function isMediaType(text: string): boolean {
  return text.length <= 255 && MEDIA_TYPE.test(text);
}

/** The type without its parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  const end = mediaType.indexOf(";");
  return (end === -1 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase();
}

/** `application/json` and everything that is JSON underneath, such as `application/problem+json`. */
export function isJsonType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return essence === "application/json" || essence === "text/json" || essence.endsWith("+json");
}

/** Whether a declared type leaves the actual one open: `image/*`, or several types with commas. */
export function isTypeRange(mediaType: string): boolean {
  return mediaType.includes("*") || mediaType.includes(",");
}
