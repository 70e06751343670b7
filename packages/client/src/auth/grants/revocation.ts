import { processRevocationResponse, revocationRequest } from "oauth4webapi";
import type { IssuerMetadata } from "../discovery/authorization-server.ts";
import { libraryOptions } from "../network/library-options.ts";
import type { AuthFetch } from "../network/network.ts";
import type { Grant } from "../store/records.ts";
import { authenticationOf, type KnownClient } from "./client-authentication.ts";

/** Revokes the tokens of a grant (RFC 7009), if the authorization server can. */
export async function revokeGrant(
  { refreshToken, accessToken }: Pick<Grant, "refreshToken" | "accessToken">,
  issuer: IssuerMetadata,
  client: KnownClient,
  fetch: AuthFetch,
): Promise<void> {
  if (issuer.revocation_endpoint === undefined) return;
  const response = await revocationRequest(
    issuer,
    { client_id: client.id },
    authenticationOf(issuer, client),
    // With a refresh token, all tokens of its grant are revoked.
    refreshToken ?? accessToken,
    libraryOptions(fetch, undefined) as object,
  );
  await processRevocationResponse(response);
}
