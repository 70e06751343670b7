import { AuthError } from "@toolwire/protocol";
import { type Client, processGenericTokenEndpointResponse } from "oauth4webapi";
import type { IssuerMetadata } from "../discovery/authorization-server.ts";
import { splitScopes } from "../discovery/challenge.ts";
import { parseObject, shown } from "../network/network.ts";

/** The tokens that an authorization server has issued. */
export interface IssuedTokens {
  readonly accessToken: string;
  /** How the token is presented. An assertion, which is no access token, counts as `Bearer`. */
  readonly tokenType: "Bearer" | "DPoP";
  readonly refreshToken: string | undefined;
  /** The scopes that were granted; `undefined` if the server did not say, which means those that were requested. */
  readonly granted: readonly string[] | undefined;
  /** The seconds for which the access token is valid, if the server said so. 0 says nothing: a token is tried at least once. */
  readonly lifetime: number | undefined;
  readonly issuedTokenType: string | undefined;
}

/** The parts of a request that its response must agree with. */
interface ExpectedTokens {
  /** Whether the request proved a key, which the tokens can be bound to. */
  readonly hasKey: boolean;
  /** Whether an assertion is wanted in place of an access token (RFC 8693). */
  readonly wantsAssertion: boolean;
}

/** The longest token, in characters. Servers refuse headers long before that. */
const MAX_TOKEN = 64 * 1024;

/** The longest lifetime, in seconds: ten years. Some servers write numbers that no date can hold. */
const MAX_LIFETIME = 10 * 365 * 24 * 3600;

/** Reads the tokens of a response. */
export async function readTokens(
  issuer: IssuerMetadata,
  client: Client,
  response: Response,
  { hasKey, wantsAssertion }: ExpectedTokens,
): Promise<IssuedTokens> {
  const readable = await toStandardResponse(response);
  const tokens = await processGenericTokenEndpointResponse(issuer, client, readable, {
    recognizedTokenTypes: wantsAssertion ? { n_a: () => {} } : {},
  });
  const { token_type: type } = tokens as { readonly token_type: string };
  const place = `The authorization server ${shown(issuer.issuer)}`;
  // A line break would end the header that carries the token, and a blank would make two of it.
  const isUsable = /^[\x21-\x7e]+$/.test(tokens.access_token) && tokens.access_token.length <= MAX_TOKEN;
  if (!isUsable || (tokens.refresh_token?.length ?? 0) > MAX_TOKEN) {
    throw new AuthError("UNSUPPORTED_SERVER", `${place} issued a token that no header can carry. It was not used.`);
  }
  if (type === "dpop" && !hasKey) {
    throw new AuthError("UNSUPPORTED_SERVER", `${place} issued a token that is bound to a key, and was given none.`);
  }
  return {
    accessToken: tokens.access_token,
    tokenType: type === "dpop" ? "DPoP" : "Bearer",
    refreshToken: tokens.refresh_token === "" ? undefined : tokens.refresh_token,
    granted: splitScopes(tokens.scope),
    lifetime: readLifetime(tokens.expires_in),
    issuedTokenType: typeof tokens["issued_token_type"] === "string" ? tokens["issued_token_type"] : undefined,
  };
}

function readLifetime(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds > 0 ? Math.min(seconds, MAX_LIFETIME) : undefined;
}

/**
 * Makes a response that `oauth4webapi` takes. ID tokens that come along unasked are left out: it would validate them, and
 * those of servers with many tenants fail. Errors that come with status 200, as those of GitHub, get the status of an error.
 */
async function toStandardResponse(response: Response): Promise<Response> {
  const { headers } = response;
  const text = await response.text();
  const body = parseObject(text);
  // The status of every success is 200. Some servers say 201.
  const status = response.status === 201 ? 200 : response.status;
  if (body === undefined) return new Response(text, { status, headers });
  const { id_token: _unused, ...rest } = body;
  const isHiddenError = status === 200 && typeof rest["error"] === "string" && rest["access_token"] === undefined;
  // Some servers write the lifetime as text, or as null if there is none.
  if (rest["expires_in"] === null) delete (rest as Record<string, unknown>)["expires_in"];
  return new Response(JSON.stringify(rest), {
    status: isHiddenError ? 400 : status,
    headers: { "content-type": "application/json" },
  });
}
