import { lookup } from "node:dns/promises";
import { lookup as lookupNow, type LookupAddress, type LookupOptions } from "node:dns";
import type { Agent, Dispatcher } from "undici";
import type { AuthServer } from "../../transports/client-auth.ts";
import type { PlatformFetch, ResolvedHost } from "./network.ts";
import { createPlatformFetch as createPlainFetch } from "./plain-fetch.ts";
import { morePrivateOf, zoneOfAddress, zoneOfHost } from "./zones.ts";

/**
 * Sends requests by undici's `fetch`, with the certificates of the application. Names are resolved once for the check of
 * their zone, and the connection goes to the very addresses that were checked: a name that leads elsewhere a moment later
 * (DNS rebinding) gains nothing.
 */
export function createPlatformFetch(server: AuthServer): PlatformFetch {
  // A `fetch` of the application connects by itself, and resolves names by itself.
  if (server.http.fetch !== undefined) return createPlainFetch(server);
  return new UndiciFetch(server);
}

class UndiciFetch implements PlatformFetch {
  readonly #server: AuthServer;
  readonly #agents = new Map<boolean, Agent>();
  /** The addresses of each host that were checked. */
  readonly #checked = new Map<string, readonly LookupAddress[]>();

  constructor(server: AuthServer) {
    this.#server = server;
  }

  async fetch(url: URL, init: RequestInit): Promise<Response> {
    const undici = await import("undici");
    const isOwn = url.origin === this.#server.url.origin;
    let agent = this.#agents.get(isOwn);
    if (agent === undefined) {
      agent = new undici.Agent({ connect: this.#connectOptions(isOwn), keepAliveTimeout: 1000 });
      this.#agents.set(isOwn, agent);
    }
    const options = { ...init, dispatcher: agent as Dispatcher };
    // Both are the same Web API; only their declarations differ.
    return (await undici.fetch(url, options as never)) as unknown as Response;
  }

  async resolve(hostname: string): Promise<ResolvedHost> {
    const known = zoneOfHost(hostname);
    if (known !== undefined) return { zone: known };
    const addresses = await lookup(hostname, { all: true });
    return {
      zone: addresses.map(({ address }) => zoneOfAddress(address)).reduce(morePrivateOf, "public"),
      use: () => void this.#checked.set(hostname, addresses),
    };
  }

  /**
   * A socket and a client certificate are for the MCP server. Authorization servers, which that server names, get neither:
   * they are trusted by the same certificates, and nothing more.
   */
  #connectOptions(isOwn: boolean): NonNullable<Agent.Options["connect"]> {
    const { connect = {} } = this.#server.http;
    // A function of the application's opens all connections, and decides itself which addresses may be reached.
    if (isOwn || typeof connect === "function") return connect as NonNullable<Agent.Options["connect"]>;
    const { ca, rejectUnauthorized, timeout } = connect;
    return {
      ...(ca !== undefined && { ca }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
      ...(timeout !== undefined && { timeout }),
      lookup: (hostname: string, options: LookupOptions, callback: LookupCallback) =>
        this.#lookup(hostname, options, callback),
    } as NonNullable<Agent.Options["connect"]>;
  }

  #lookup(hostname: string, options: LookupOptions, callback: LookupCallback): void {
    const answer = (addresses: readonly LookupAddress[]): void => {
      const [first] = addresses;
      if (first === undefined) callback(new Error(`${hostname} has no address that may be used`), "");
      else if (options.all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    };
    const checked = this.#checked.get(hostname);
    if (checked !== undefined) return answer(checked);
    // All other names are those of this machine, whatever the DNS says about them.
    lookupNow(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) callback(error, "");
      else answer(addresses.filter(({ address }) => zoneOfAddress(address) === "loopback"));
    });
  }
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;
