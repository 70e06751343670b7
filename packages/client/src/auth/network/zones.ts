/**
 * Networks by how private they are. A server names URLs that the client then visits: none of them may lead into a network
 * that is more private than the server's own, or any server on the internet could reach what only this machine can.
 */

/** From the most public network to the most private one. Link-local addresses have services of cloud providers. */
const ZONES = ["public", "private", "loopback", "link-local"] as const;

/** How private a network is. */
export type Zone = (typeof ZONES)[number];

/** Whether the first network is more private than the second one. */
export function isMorePrivate(zone: Zone, than: Zone): boolean {
  return ZONES.indexOf(zone) > ZONES.indexOf(than);
}

/** The more private one of two networks. */
export function morePrivateOf(one: Zone, other: Zone): Zone {
  return isMorePrivate(one, other) ? one : other;
}

/** The zone of the host of a URL, if the URL tells: an address, or a name for loopback. Other names have to be resolved. */
export function zoneOfHost(hostname: string): Zone | undefined {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  if (host.startsWith("[")) return zoneOfAddress(host.slice(1, -1));
  return IPV4.test(host) ? zoneOfAddress(host) : undefined;
}

/** Whether secrets may be sent to a URL, and a browser be sent there: https, or http on this machine, without user info. */
export function isSecureUrl({ protocol, hostname, username, password }: URL): boolean {
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && zoneOfHost(hostname) === "loopback");
}

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;

/** The zone of an IP address. An address that cannot be read counts as the most private. */
export function zoneOfAddress(address: string): Zone {
  if (IPV4.test(address)) return zoneOfIpv4(address.split(".").map(Number));
  const groups = readIpv6(address);
  return groups === undefined ? "link-local" : zoneOfIpv6(groups);
}

function zoneOfIpv4([a = 0, b = 0, c = 0]: readonly number[]): Zone {
  if (a === 127 || a === 0) return "loopback";
  if (a === 169 && b === 254) return "link-local";
  if (a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168)) return "private";
  // Shared address space (RFC 6598), protocol assignments, benchmarks, multicast and reserved blocks are no public hosts.
  if ((a === 100 && b >= 64 && b <= 127) || (a === 192 && b === 0 && c === 0)) return "private";
  return (a === 198 && (b === 18 || b === 19)) || a >= 224 ? "private" : "public";
}

function zoneOfIpv6(groups: readonly number[]): Zone {
  const [first = 0] = groups;
  const isZeroUntil = (end: number): boolean => groups.slice(0, end).every((group) => group === 0);
  if (isZeroUntil(7) && groups[7]! <= 1) return "loopback";
  // IPv4 addresses that are mapped (::ffff:0:0/96), compatible, or translated (64:ff9b::/96) are what they stand for.
  const isMapped = isZeroUntil(5) && (groups[5] === 0xffff || groups[5] === 0);
  const isTranslated = first === 0x64 && groups[1] === 0xff9b;
  if (isMapped || isTranslated) return zoneOfIpv4(bytesOf(groups[6]!, groups[7]!));
  // 6to4 (2002::/16) has the IPv4 address behind its prefix.
  if (first === 0x2002) return zoneOfIpv4(bytesOf(groups[1]!, groups[2]!));
  if ((first & 0xffc0) === 0xfe80) return "link-local";
  // Global addresses are those of 2000::/3. All others are local, reserved, for groups, or translated by a network.
  return (first & 0xe000) === 0x2000 ? "public" : "private";
}

function bytesOf(high: number, low: number): number[] {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff];
}

/** Reads the eight groups of an IPv6 address; `undefined` if it is none. */
function readIpv6(address: string): number[] | undefined {
  const plain = address.replace(/%.*$/, "");
  // `URL` knows every form of an address, and writes it with groups only.
  if (!URL.canParse(`http://[${plain}]/`)) return undefined;
  const [head = "", tail] = new URL(`http://[${plain}]/`).hostname.slice(1, -1).split("::");
  const read = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return read(head);
  const [before, after] = [read(head), read(tail)];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
