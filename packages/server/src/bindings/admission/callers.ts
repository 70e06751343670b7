import type { Principal } from "../../origin.ts";

/** Names the caller of a connection or request, where callers share a limit; `undefined` if callers cannot be told apart. */
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
 * Returns the part of an address that tells callers apart: a public IPv4 address, or the network of an IPv6 address, since a caller
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

/** The least share of a caller: a smaller one would refuse callers in ordinary use. */
const LEAST = 10;

/** Returns the default share of one caller in a limit: a tenth, but at least 10. */
export function defaultShare(max: number): number {
  return Math.min(max, Math.max(LEAST, Math.ceil(max / 10)));
}

/** Counts how much of a limit each caller holds, so that no caller can hold all of it. */
export class CallerShares {
  readonly #max: number;
  readonly #held = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether a caller may hold one more. Callers that cannot be told apart share the whole limit. */
  hasRoom(caller: string | undefined): boolean {
    return caller === undefined || (this.#held.get(caller) ?? 0) < this.#max;
  }

  /** A caller holds one more. */
  take(caller: string | undefined): void {
    if (caller !== undefined) this.#held.set(caller, (this.#held.get(caller) ?? 0) + 1);
  }

  /** A caller holds one less. */
  release(caller: string | undefined): void {
    if (caller === undefined) return;
    const held = (this.#held.get(caller) ?? 0) - 1;
    if (held > 0) this.#held.set(caller, held);
    else this.#held.delete(caller);
  }
}
