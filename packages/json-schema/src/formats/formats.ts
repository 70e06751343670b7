import { isEmail, isHostname, isInternationalEmail, isInternationalHostname, isIpv4, isIpv6 } from "./network.ts";
import { isDate, isDateTime, isDuration, isTime } from "./time.ts";
import { isIri, isIriReference, isPointer, isRelativePointer, isUri, isUriReference, isUriTemplate } from "./uri.ts";

/** A format of strings. Its test takes time in proportion to the text. */
export interface Format {
  readonly name: string;
  /** The format in words, with an example, for messages. */
  readonly description: string;
  readonly test: (text: string) => boolean;
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** The formats of JSON Schema 2020-12, section 7.3. */
export const FORMATS: readonly Format[] = [
  { name: "date", description: "a date such as 2026-07-28", test: isDate },
  { name: "date-time", description: "a date and time such as 2026-07-28T09:30:00Z", test: isDateTime },
  { name: "time", description: "a time with offset such as 09:30:00Z", test: isTime },
  { name: "duration", description: "a duration such as P3DT12H", test: isDuration },
  { name: "email", description: "an email address such as name@example.org", test: isEmail },
  { name: "idn-email", description: "an email address such as name@example.org", test: isInternationalEmail },
  { name: "hostname", description: "a host name such as example.org", test: isHostname },
  { name: "idn-hostname", description: "a host name such as example.org", test: isInternationalHostname },
  { name: "ipv4", description: "an IPv4 address such as 192.0.2.1", test: isIpv4 },
  { name: "ipv6", description: "an IPv6 address such as 2001:db8::1", test: isIpv6 },
  { name: "uri", description: "a URI such as https://example.org/page", test: isUri },
  { name: "uri-reference", description: "a URI or relative reference such as ../page", test: isUriReference },
  { name: "iri", description: "a URI such as https://example.org/page", test: isIri },
  { name: "iri-reference", description: "a URI or relative reference such as ../page", test: isIriReference },
  { name: "uri-template", description: "a URI template such as /pages/{id}", test: isUriTemplate },
  { name: "uuid", description: "a UUID such as 123e4567-e89b-42d3-a456-426614174000", test: (text) => UUID.test(text) },
  { name: "json-pointer", description: "a JSON pointer such as /items/0", test: isPointer },
  {
    name: "relative-json-pointer",
    description: "a relative JSON pointer such as 1/items",
    test: isRelativePointer,
  },
  { name: "regex", description: "a regular expression", test: isRegExp },
];

const BY_NAME: ReadonlyMap<string, Format> = new Map(FORMATS.map((format) => [format.name, format]));

/** Finds a format by name. Names that JSON Schema does not define are annotations, and are not checked. */
export function findFormat(name: string): Format | undefined {
  return BY_NAME.get(name);
}

/** Unicode classes such as `{L}` that the platform has accepted. There are some hundreds. */
const UNICODE_CLASSES = new Set<string>();

/**
 * An escape, with the name of its Unicode class, if it has one. The name is bounded, because for every brace that is never
 * closed the rest of the text would be searched. No class has a name of 100 characters.
 */
const ESCAPE = /\\(?:p(\{[^}\\]{1,100}\})|[^])/gi;

/** Tests each Unicode class once, and replaces it by a short class: the platform takes long to compile one. */
function isRegExp(text: string): boolean {
  try {
    const short = text.replaceAll(ESCAPE, (escape, unicodeClass: string | undefined) => {
      if (unicodeClass === undefined) return escape;
      if (!UNICODE_CLASSES.has(unicodeClass) && new RegExp(`\\p${unicodeClass}`, "u").unicode) {
        UNICODE_CLASSES.add(unicodeClass);
      }
      return "\\w";
    });
    return new RegExp(short, "u").unicode;
  } catch {
    return false;
  }
}
