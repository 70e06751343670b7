import { AuthError } from "@toolwire/protocol";
import { genericTokenEndpointRequest } from "oauth4webapi";
import { explainMissingMetadata, findIssuerMetadata, type IssuerMetadata } from "../discovery/authorization-server.ts";
import { authenticationOf } from "../grants/client-authentication.ts";
import { requestTokens } from "../grants/token-request.ts";
import { type AuthNetwork, readSecureUrl } from "../network/network.ts";
import {
  keepKnownUser,
  type KeyCredentials,
  type PublicCredentials,
  readCredentials,
  readTokenOptions,
  refuse,
  type SecretCredentials,
  type TokenOptions,
} from "./options.ts";
import { machineSource } from "./machine-source.ts";
import { createTokenAuth, type TokenAuth } from "./token-auth.ts";
import type { TokenWish } from "./token-source.ts";
import { JWT_BEARER } from "./workload.ts";

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

/** The kinds of tokens by which the identity provider knows the user. */
const SUBJECT_TYPES = {
  idToken: "urn:ietf:params:oauth:token-type:id_token",
  refreshToken: "urn:ietf:params:oauth:token-type:refresh_token",
} as const;

/** Returns the token of the user: fixed, or a function that is asked every time. */
type SubjectToken = string | (() => string | Promise<string>);

/** The options of {@link enterprise}. */
export interface EnterpriseOptions extends TokenOptions {
  /** The identity provider of the organization, and this client as it is known there. */
  readonly idp: (SecretCredentials | KeyCredentials | PublicCredentials) & {
    /** The token endpoint, if the identity provider has no metadata. */
    readonly tokenEndpoint?: string | undefined;
  };
  /** The ID token of the user's login at the identity provider; a function if it is renewed. */
  readonly idToken?: SubjectToken | undefined;
  /** The refresh token of that login, in place of an ID token. */
  readonly refreshToken?: SubjectToken | undefined;
  /** This client as the authorization server of the MCP server knows it. */
  readonly client: SecretCredentials | KeyCredentials | PublicCredentials;
}

/**
 * Logs in by the identity provider of an organization, which decides who may use which server: no user is asked. The user's
 * login there is exchanged for an assertion (ID-JAG), and that for a token of the MCP server's authorization server.
 */
export function enterprise(options: EnterpriseOptions): TokenAuth {
  const idpClient = readCredentials("enterprise.idp", options?.idp);
  const client = readCredentials("enterprise.client", options.client);
  const { idp, idToken, refreshToken } = options;
  const subject = idToken ?? refreshToken;
  if (typeof subject !== "string" && typeof subject !== "function") {
    refuse("enterprise.idToken", "the ID token of the user, or a function that returns it", subject);
  }
  if (idp.tokenEndpoint !== undefined) readSecureUrl(idp.tokenEndpoint, "`enterprise.idp.tokenEndpoint`");
  const { issuer } = options.client;
  const settings = readTokenOptions(options, false, true, issuer);

  /** Exchanges the user's login for an assertion (RFC 8693). */
  const getAssertion = async (wish: TokenWish): Promise<string> => {
    const { place, scopes } = wish;
    // The application names the identity provider, so it may be in any network.
    const network = wish.network.anywhere();
    const metadata = await findIdp(network, idp);
    const known = await idpClient();
    const request = {
      issuer: metadata,
      client: known,
      fetch: network.fetch,
      resource: place.resource,
      dpop: undefined,
      wantsAssertion: true,
      signal: undefined,
    };
    const { accessToken, issuedTokenType } = await requestTokens(
      request,
      async (asked, { additionalParameters, ...rest }) => {
        const parameters = {
          requested_token_type: ID_JAG,
          audience: place.issuer.issuer,
          subject_token: typeof subject === "function" ? await subject() : subject!,
          subject_token_type: idToken === undefined ? SUBJECT_TYPES.refreshToken : SUBJECT_TYPES.idToken,
          ...(scopes && { scope: scopes.join(" ") }),
          ...(additionalParameters as object),
        };
        return genericTokenEndpointRequest(
          metadata,
          asked,
          authenticationOf(metadata, known),
          TOKEN_EXCHANGE,
          parameters,
          rest,
        );
      },
    );
    if (issuedTokenType === ID_JAG) return accessToken;
    throw new AuthError(
      "UNSUPPORTED_SERVER",
      `The identity provider ${idp.issuer} issued another kind of token than an ID-JAG.`,
    );
  };

  const source = machineSource({
    identity: ["enterprise", options.client.id],
    issuer,
    rules: settings.rules,
    client,
    grant: async (wish) => ({ type: JWT_BEARER, parameters: { assertion: await getAssertion(wish) } }),
  });
  return createTokenAuth(
    { ...keepKnownUser(settings), source },
    { "io.modelcontextprotocol/enterprise-managed-authorization": {} },
  );
}

async function findIdp(
  network: AuthNetwork,
  { issuer, tokenEndpoint }: EnterpriseOptions["idp"],
): Promise<IssuerMetadata> {
  if (tokenEndpoint !== undefined) return { issuer, token_endpoint: tokenEndpoint };
  const rules = { strictIssuer: false, assumesPkce: true, needsLogin: false };
  const found = await findIssuerMetadata(network, issuer, rules, undefined);
  if (found === undefined) throw explainMissingMetadata(issuer, undefined);
  return found;
}
