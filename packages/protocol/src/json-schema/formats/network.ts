const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
const INTERNATIONAL_LABEL =
  /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}\u00b7\u05f3\u05f4\u30fb\u200c-\u200d-]{0,61}[\p{L}\p{N}\p{M}])?$/u;
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const QUOTED = /^"(?:[^"\\\r\n]|\\[^\r\n])*"$/;
const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const HEX_GROUP = /^[\da-f]{1,4}$/i;

/** RFC 1123 section 2.1. */
export function isHostname(text: string): boolean {
  return text.length <= 253 && text.split(".").every((label) => LABEL.test(label));
}

/** RFC 5890, as far as the form goes: whether each character is allowed where it stands takes the tables of IDNA. */
export function isInternationalHostname(text: string): boolean {
  return text.length <= 253 && text.split(/[.。．｡]/).every((label) => INTERNATIONAL_LABEL.test(label));
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
  return at > 0 && at <= 64 && !/\s/.test(text.slice(0, at)) && isInternationalHostname(text.slice(at + 1));
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
