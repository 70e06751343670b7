import { decodeLabel, isDirectionClear, isEncodedLabel, toAsciiLabel } from "./idna.ts";

const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** RFC 6531, section 3.3: atoms may also have characters beyond ASCII. White space is refused all the same: it is always a mistake. */
const INTERNATIONAL_DOT_ATOM =
  /^(?!.*\s)[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u;
const QUOTED = /^"(?:[^"\\\r\n]|\\[^\r\n])*"$/;
const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const HEX_GROUP = /^[\da-f]{1,4}$/i;

/** Longest name, in ASCII and without a final dot (RFC 1035, section 2.3.4). */
const MAX_NAME_LENGTH = 253;

/** RFC 1123 section 2.1, and RFC 5890 section 2.3.2.1 for encoded labels (`xn--…`). */
export function isHostname(text: string): boolean {
  if (text.length > MAX_NAME_LENGTH) return false;
  const labels = text.split(".");
  return labels.every((label) => LABEL.test(label)) && (!labels.some(isEncodedLabel) || areClear(labels));
}

/** RFC 5890: a host name in letters of all scripts. Capitals count as small letters (RFC 5895, section 2). */
export function isInternationalHostname(text: string): boolean {
  if (text.length > MAX_NAME_LENGTH) return false;
  const labels = text
    .toLowerCase()
    .normalize("NFC")
    .split(/[.。．｡]/);
  const inAscii = labels.map((label) => (LABEL.test(label) ? label : toAsciiLabel(label)));
  return (
    inAscii.every((label) => label !== undefined) && inAscii.join(".").length <= MAX_NAME_LENGTH && areClear(inAscii)
  );
}

/** Whether all encoded labels can be decoded, and the name has an unambiguous direction. */
function areClear(labels: readonly string[]): boolean {
  const shown = labels.map((label) => (isEncodedLabel(label) ? decodeLabel(label) : label));
  return shown.every((label) => label !== undefined) && isDirectionClear(shown);
}

/** RFC 5321 section 4.1.2 `Mailbox`. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || at > 64 || text.length > 320 || !(DOT_ATOM.test(local) || QUOTED.test(local))) return false;
  const literal = /^\[(?:IPv6:(.*)|(.*))\]$/i.exec(domain);
  return literal ? isIpv6(literal[1] ?? "") || isIpv4(literal[2] ?? "") : isHostname(domain);
}

/** RFC 6531: letters of all scripts on both sides. */
export function isInternationalEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  if (at < 1 || at > 64 || !(INTERNATIONAL_DOT_ATOM.test(local) || QUOTED.test(local))) return false;
  return isInternationalHostname(text.slice(at + 1));
}

/** RFC 2673 section 3.2: four decimal numbers. */
export function isIpv4(text: string): boolean {
  const octets = text.length <= 15 ? text.split(".") : [];
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255);
}

/** RFC 4291 section 2.2, without a zone. */
export function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const tail = groups.at(-1) ?? "";
  const hasIpv4 = tail.includes(".") && !text.endsWith("::");
  const size = groups.length + (hasIpv4 ? 1 : 0);
  const hexGroups = hasIpv4 ? groups.slice(0, -1) : groups;
  return (
    hexGroups.every((group) => HEX_GROUP.test(group)) &&
    (!hasIpv4 || isIpv4(tail)) &&
    (halves.length === 2 ? size <= 7 : size === 8)
  );
}
