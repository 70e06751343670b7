import { isIpv6 } from "./network.ts";

/** RFC 3986 appendix B, with at most one way to match each text. */
const COMPONENTS = /^(?:([^:/?#]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/su;
const SCHEME = /^[a-z][a-z\d+.-]*$/i;
const AUTHORITY = /^(?:[^@[\]]*@)?(?:\[([^\]]*)\]|[^:@[\]]*)(?::\d*)?$/;
const IP_FUTURE = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;

/*
 * These search for a forbidden character. A repetition of the allowed ones would remember every position to backtrack to, and
 * run out of memory for a text of some megabytes, such as a `data:` URI.
 */
const FORBIDDEN = /[^\w.~!$&'()*+,;=:@/?%-]|%(?![\da-f]{2})/i;
const FORBIDDEN_IN_IRI = /[^\w.~!$&'()*+,;=:@/?%\u00a0-\u{10ffff}-]|%(?![\da-fA-F]{2})/u;
const FORBIDDEN_IN_LITERAL = /[\p{Cc}\s"<>\\^`{|}]|%(?![\da-fA-F]{2})/u;
const FORBIDDEN_IN_NAME = /^\.|\.\.|\.$|[^\w.%]|%(?![\da-f]{2})/i;

/** An expression of a template: an operator, and variables. */
const EXPRESSION = /\{[+#./;?&=,!@|]?([^{}]*)\}/g;
const MODIFIER = /(?::[1-9]\d{0,3}|\*)$/;

/** RFC 3986 `URI`: with a scheme. */
export function isUri(text: string): boolean {
  return isReference(text, FORBIDDEN, true);
}

/** RFC 3986 `URI-reference`: absolute or relative. */
export function isUriReference(text: string): boolean {
  return isReference(text, FORBIDDEN, false);
}

/** RFC 3987 `IRI`: a URI with letters of all scripts. */
export function isIri(text: string): boolean {
  return isReference(text, FORBIDDEN_IN_IRI, true);
}

/** RFC 3987 `IRI-reference`. */
export function isIriReference(text: string): boolean {
  return isReference(text, FORBIDDEN_IN_IRI, false);
}

/** RFC 6570 section 2, with erratum 6937: an apostrophe is a literal. */
export function isUriTemplate(text: string): boolean {
  let isValid = true;
  const literals = text.replaceAll(EXPRESSION, (_, variables: string) => {
    isValid &&= variables.split(",").every(isVariable);
    return "_";
  });
  return isValid && !FORBIDDEN_IN_LITERAL.test(literals);
}

function isVariable(text: string): boolean {
  const name = text.replace(MODIFIER, "");
  return name !== "" && !FORBIDDEN_IN_NAME.test(name);
}

function isReference(text: string, forbidden: RegExp, needsScheme: boolean): boolean {
  const [, scheme, authority = "", ...rest] = COMPONENTS.exec(text) ?? [];
  // A colon in the first segment of a path ends a scheme, so the text before it must be one.
  if (scheme === undefined ? needsScheme : !SCHEME.test(scheme)) return false;
  const [, literal] = AUTHORITY.exec(authority) ?? [undefined, ""];
  if (literal !== undefined && !isIpv6(literal) && !IP_FUTURE.test(literal)) return false;
  const plainAuthority = authority.replace(/\[[^\]]*\]/, "");
  return ![plainAuthority, ...rest].some((part: string | undefined) => forbidden.test(part ?? ""));
}

/** RFC 6901: names, each after a slash, with `~0` for a tilde and `~1` for a slash. */
export function isPointer(text: string): boolean {
  return (text === "" || text.startsWith("/")) && !/~(?![01])/.test(text);
}

/** JSON Schema's relative JSON pointers: the number of levels to go up, then a pointer, or `#` for the name of the place. */
export function isRelativePointer(text: string): boolean {
  const [levels] = /^(?:0|[1-9]\d*)/.exec(text) ?? [];
  if (levels === undefined) return false;
  const rest = text.slice(levels.length);
  return rest === "#" || isPointer(rest);
}
