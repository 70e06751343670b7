import { isIpv6 } from "./network.ts";

/** RFC 3986 appendix B, with at most one way to match each text. */
const COMPONENTS = /^(?:([^:/?#]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/su;
const SCHEME = /^[a-z][a-z\d+.-]*$/i;
const AUTHORITY = /^(?:[^@[\]]*@)?(?:\[([^\]]*)\]|[^:@[\]]*)(?::\d*)?$/;
const IP_FUTURE = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;
const CHARACTERS = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})*$/i;
const INTERNATIONAL_CHARACTERS = /^(?:[\w.~!$&'()*+,;=:@/?\u00a0-\u{10ffff}-]|%[\da-f]{2})*$/iu;
/** No dot comes first: it would be an operator as well, and expressions that can be read in two ways double the work. */
const VARIABLE = String.raw`(?:\w|%[\da-fA-F]{2})(?:\.?(?:\w|%[\da-fA-F]{2}))*(?::[1-9]\d{0,3}|\*)?`;
const TEMPLATE = new RegExp(
  String.raw`^(?:[^\p{Cc}\s"<>%\\^\x60{|}]|%[\da-fA-F]{2}|\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\})*$`,
  "u",
);

/** RFC 3986 `URI`: with a scheme. */
export function isUri(text: string): boolean {
  return isReference(text, CHARACTERS, true);
}

/** RFC 3986 `URI-reference`: absolute or relative. */
export function isUriReference(text: string): boolean {
  return isReference(text, CHARACTERS, false);
}

/** RFC 3987 `IRI`: a URI with letters of all scripts. */
export function isIri(text: string): boolean {
  return isReference(text, INTERNATIONAL_CHARACTERS, true);
}

/** RFC 3987 `IRI-reference`. */
export function isIriReference(text: string): boolean {
  return isReference(text, INTERNATIONAL_CHARACTERS, false);
}

/** RFC 6570 section 2, with erratum 6937: an apostrophe is a literal. */
export function isUriTemplate(text: string): boolean {
  return TEMPLATE.test(text);
}

function isReference(text: string, characters: RegExp, needsScheme: boolean): boolean {
  const [, scheme, authority = "", ...rest] = COMPONENTS.exec(text) ?? [];
  // A colon in the first segment of a path would be taken for the end of a scheme, so it has to be one.
  if (scheme === undefined ? needsScheme : !SCHEME.test(scheme)) return false;
  const [, literal] = AUTHORITY.exec(authority) ?? [undefined, ""];
  if (literal !== undefined && !isIpv6(literal) && !IP_FUTURE.test(literal)) return false;
  const plainAuthority = authority.replace(/\[[^\]]*\]/, "");
  return [plainAuthority, ...rest].every((part: string | undefined) => characters.test(part ?? ""));
}
