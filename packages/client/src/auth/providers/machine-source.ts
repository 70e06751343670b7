import { type ClientAuth as Authenticate, genericTokenEndpointRequest } from "oauth4webapi";
import { isSameIssuer } from "../discovery/authorization-server.ts";
import { type DiscoveryRules, explainChange } from "../discovery/discover.ts";
import { authenticationOf, type KnownClient } from "../grants/client-authentication.ts";
import { requestTokens } from "../grants/token-request.ts";
import type { TokenSource, TokenWish } from "./token-source.ts";

/** A grant that needs no user: its type, and its parameters. */
interface MachineGrant {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** How a machine gets tokens. */
interface MachineSourceOptions {
  readonly identity: TokenSource["identity"];
  /** The issuer that the credentials are for. They are sent nowhere else. */
  readonly issuer: string;
  readonly rules: DiscoveryRules;
  readonly client: () => Promise<KnownClient>;
  /** Makes the grant of one request. It is called only for the right issuer. */
  readonly grant: (wish: TokenWish) => MachineGrant | Promise<MachineGrant>;
  /** How the client authenticates, if not by its own credentials. */
  readonly authenticate?: Authenticate | undefined;
}

/** Makes a source of tokens that asks nobody: it requests a token whenever one is needed, at one issuer. */
export function machineSource(options: MachineSourceOptions): TokenSource {
  const { identity, issuer, rules, client: findClient } = options;
  return {
    identity,
    needsUser: false,
    knownIssuers: () => [issuer],
    async obtain(wish) {
      const { network, place, scopes, dpop, server } = wish;
      const { issuer: metadata, resource } = place;
      if (!isSameIssuer(metadata.issuer, issuer, rules)) throw explainChange(server, [metadata.issuer], issuer);
      const { type, parameters } = await options.grant(wish);
      const client = await findClient();
      const authenticate = options.authenticate ?? authenticationOf(metadata, client);
      const key = await dpop?.();
      const request = { issuer: metadata, client, fetch: network.fetch, resource, dpop: key, signal: undefined };
      const tokens = await requestTokens(request, (asked, { additionalParameters, ...rest }) => {
        const scope = scopes && { scope: scopes.join(" ") };
        const all = { ...parameters, ...scope, ...(additionalParameters as object) };
        return genericTokenEndpointRequest(metadata, asked, authenticate, type, all, rest);
      });
      return { tokens, clientId: client.id, scopes, dpop: key, place };
    },
    clientOf: async (other) => (isSameIssuer(other.issuer, issuer, rules) ? findClient() : undefined),
    forgetClient: async () => {},
  };
}
