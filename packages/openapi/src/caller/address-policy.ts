/**
 * The addresses that requests may go to. A tool's URL comes from its author, but names resolve to whatever their owner says, and
 * gateways take URLs from documents. So only public addresses are reached unless the operator allows more.
 */
import ipaddr from "ipaddr.js";
import { UsageError } from "@toolwire/protocol";
import type { NetworkPolicy } from "./options.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/** Addresses at which clouds give credentials to their machines, and which look like others of their kind. */
const METADATA: readonly Address[] = [
  "169.254.169.254",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
].map((address) => ipaddr.parse(address));
/** The only IPv6 addresses that are global (RFC 4291, section 2.4; IANA IPv6 Address Space). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
const LOOPBACK: readonly Network[] = [ipaddr.parseCIDR("127.0.0.0/8"), ipaddr.parseCIDR("::1/128")];
/** Ranges that belong to a name which the operator has allowed. Link-local addresses are never meant by a name. */
const INTERNAL_RANGES: ReadonlySet<string> = new Set(["private", "uniqueLocal", "loopback", "carrierGradeNat"]);

const HOST_NAME = /^(?:\*\.)?(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/** Decides which addresses are reached. One decision for all callers that share a policy. */
export class AddressPolicy {
  readonly #networks: Network[] = [];
  readonly #names = new Set<string>();
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #ports: ReadonlySet<number> | undefined;

  constructor({ allow = [], hosts, ports }: NetworkPolicy) {
    for (const entry of allow) this.#allow(entry);
    this.#hosts = hosts && new Set(hosts.map((host) => host.toLowerCase()));
    this.#ports = ports && new Set(ports);
  }

  /**
   * Looks at an origin before its name is looked up. Returns the reason why nothing may be sent there, for the operator;
   * `undefined` if it may.
   */
  findProblem(origin: string): string | undefined {
    const { protocol, hostname, host, port } = new URL(origin);
    const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
    if (this.#hosts !== undefined && !this.#hosts.has(hostname) && !this.#hosts.has(host)) {
      return `Refused to send a request to ${origin}: \`network.hosts\` does not name ${host}.`;
    }
    if (this.#ports !== undefined && !this.#ports.has(number)) {
      return `Refused to send a request to ${origin}: \`network.ports\` does not name ${number}.`;
    }
    const literal = readLiteral(hostname);
    return literal === undefined || this.allows(hostname, literal) ? undefined : this.explain(hostname, literal);
  }

  /** Whether a host may be reached at this address. */
  allows(host: string, address: string): boolean {
    const parsed = parse(address);
    if (parsed === undefined) return false;
    if (this.#networks.some((network) => contains(network, parsed))) return true;
    if (isPublic(parsed)) return true;
    return this.#allowsName(host) && INTERNAL_RANGES.has(parsed.range()) && !isMetadata(parsed);
  }

  /** Tells the operator what was refused, and the one line that allows it. */
  explain(host: string, address: string): string {
    const parsed = parse(address);
    const isLoopback = parsed !== undefined && LOOPBACK.some((network) => contains(network, parsed));
    const kind = parsed === undefined ? "no address" : describeRange(parsed);
    return (
      `Refused to connect to ${host}: ${address} is ${kind}. ` +
      `If this API may be called, allow it: network: { allow: ["${isLoopback ? "localhost" : address}"] }.`
    );
  }

  #allowsName(host: string): boolean {
    const name = host.toLowerCase().replace(/\.$/, "");
    if (this.#names.has(name)) return true;
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
      if (this.#names.has(`*${name.slice(dot)}`)) return true;
    }
    return false;
  }

  #allow(entry: string): void {
    const name = entry.trim().toLowerCase();
    if (name === "localhost") {
      this.#networks.push(...LOOPBACK);
    } else if (/\/\d+$/.test(name) && ipaddr.isValidCIDR(name)) {
      this.#networks.push(ipaddr.parseCIDR(name));
    } else if (isLiteral(name)) {
      const address = ipaddr.parse(name);
      this.#networks.push([address, address.kind() === "ipv4" ? 32 : 128]);
    } else if (HOST_NAME.test(name) && !/^[\d.]+$/.test(name)) {
      this.#names.add(name);
    } else {
      throw new UsageError(
        "INVALID_ARGUMENT",
        `\`network.allow\` contains "${entry}", which is no network, address or name. Write "10.1.0.0/16", "10.1.2.3", "api.internal", "*.internal" or "localhost".`,
      );
    }
  }
}

/** The address that the host of a URL is, if it is one. The parser of URLs has made `127.1` and `0x7f000001` into 127.0.0.1. */
export function readLiteral(hostname: string): string | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isLiteral(bare) ? bare : undefined;
}

function isLiteral(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

function parse(address: string): Address | undefined {
  // A zone such as %eth0 names an interface of this machine, and is no part of the address.
  const bare = address.replace(/%.*$/, "");
  return isLiteral(bare) ? ipaddr.parse(bare) : undefined;
}

/** Whether a network contains an address. An IPv4 address inside of an IPv6 one counts as the former. */
function contains([network, bits]: Network, address: Address): boolean {
  const plain = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
  return plain.kind() === network.kind() && plain.match(network, bits);
}

/**
 * Public addresses are those of the ordinary unicast space, without forms that carry an IPv4 address to a gateway (RFC 6052,
 * 3056, 4380, 5214): behind them may be any address of a private network.
 */
function isPublic(address: Address): boolean {
  if (address.range() !== "unicast" || isMetadata(address)) return false;
  if (address instanceof ipaddr.IPv4) return true;
  return address.match(GLOBAL_IPV6[0], GLOBAL_IPV6[1]) && !isIsatap(address);
}

/** Whether the last half of an address is `0000:5efe` or `0200:5efe` and an IPv4 address (RFC 5214, section 6.1). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe;
}

function isMetadata(address: Address): boolean {
  return METADATA.some((each) => each.kind() === address.kind() && each.toString() === address.toString());
}

function describeRange(address: Address): string {
  if (isMetadata(address)) return "an address of cloud metadata";
  const range = address.range();
  const words =
    range === "unicast" ? "transitional" : range.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `${/^[aeiou]/.test(words) ? "an" : "a"} ${words} address, not a public one`;
}
