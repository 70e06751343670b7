import { type Client, DPoP, type DPoPHandle, isDPoPNonceError, type TokenEndpointRequestOptions } from "oauth4webapi";
import type { IssuerMetadata } from "../discovery/authorization-server.ts";
import type { AuthFetch } from "../network/network.ts";
import { libraryOptions } from "../network/library-options.ts";
import type { KnownClient } from "./client-authentication.ts";
import type { DpopKey } from "./dpop.ts";
import { RequestSecrets } from "./request-secrets.ts";
import { explain } from "./token-refusal.ts";
import { type IssuedTokens, readTokens } from "./token-response.ts";

/** Sends one request, with the options that `oauth4webapi` needs. It may be called twice, for the nonce of a proof. */
export type SendTokenRequest = (
  client: Client,
  options: TokenEndpointRequestOptions & { readonly DPoP?: DPoPHandle },
) => Promise<Response>;

/** How token requests are sent. */
export interface TokenRequestOptions {
  readonly issuer: IssuerMetadata;
  readonly client: KnownClient;
  readonly fetch: AuthFetch;
  /** The parameter `resource`, which MCP wants in every request (RFC 8707). */
  readonly resource: string | undefined;
  readonly dpop: DpopKey | undefined;
  /** Whether an assertion is wanted in place of an access token. */
  readonly wantsAssertion?: boolean | undefined;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The proofs of each key at authorization servers, so that their nonces are kept. */
const handles = new WeakMap<DpopKey, DPoPHandle>();

/** Requests tokens, and reads the response. Rejects with an `AuthError` that names no secret. */
export async function requestTokens(options: TokenRequestOptions, send: SendTokenRequest): Promise<IssuedTokens> {
  const { issuer, client, resource, dpop, parameters, signal } = options;
  const asked: Client = { client_id: client.id };
  if (dpop !== undefined && !handles.has(dpop)) handles.set(dpop, DPoP(asked, dpop.pair));
  const handle = dpop && handles.get(dpop);
  const secrets = new RequestSecrets();
  const fetch = secrets.watch(options.fetch);
  const attempt = async (): Promise<IssuedTokens> => {
    const response = await send(asked, {
      ...(libraryOptions(fetch, signal) as object),
      ...(handle && { DPoP: handle }),
      additionalParameters: { ...parameters, ...(resource !== undefined && { resource }) },
    });
    const expected = { hasKey: dpop !== undefined, wantsAssertion: options.wantsAssertion === true };
    return readTokens(issuer, asked, response, expected);
  };
  try {
    return await attempt();
  } catch (error) {
    // RFC 9449, 8: the nonce came with the refusal, and the handle has it now.
    if (handle === undefined || !isDPoPNonceError(error)) throw explain(error, issuer, secrets);
  }
  try {
    return await attempt();
  } catch (error) {
    throw explain(error, issuer, secrets);
  }
}
