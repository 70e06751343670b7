import type { Principal } from "./contract.ts";

/** Names whoever a connection or request comes from, wherever callers share something limited: `undefined` if unknown. */
export function callerKey(principal: Principal | undefined, address: string | undefined): string | undefined {
  return principal?.id ?? networkOf(address);
}

/**
 * Addresses of this machine and of private networks: loopback, link-local, RFC 1918, RFC 6598, RFC 4193. Behind most of
 * them is a proxy, a load balancer or a container's gateway, so that all callers in the world have the same.
 */
const PRIVATE =
  /^(0|10|127)\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^192\.168\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^f[cd]|^fe[89ab]|^::1?$/;

/**
 * What tells callers apart by their address: a public IPv4 address, or the network of an IPv6 address, since a caller
 * usually has all 2^64 addresses of a network. `undefined` for other addresses.
 */
export function networkOf(address = ""): string | undefined {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  if (plain === "" || PRIVATE.test(plain)) return undefined;
  if (!plain.includes(":")) return plain;
  const [head = [], tail = []] = plain.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(":")}::/64`;
}
