import type { Principal } from "../../origin.ts";
import { TokenRefused, type VerifiedCaller } from "./verified.ts";

/** Makes the principal of a verified token. Requests share it, so it is frozen. */
export function createPrincipal(caller: VerifiedCaller, scopes: readonly string[]): Principal {
  const { issuer, clientId, expiresAt, claims } = caller;
  return Object.freeze({
    id: writeId(caller),
    issuer,
    ...(clientId !== undefined && { clientId }),
    scopes,
    ...(expiresAt !== undefined && { expiresAt }),
    claims: Object.freeze({ ...claims }),
  });
}

/**
 * The id of a caller: `["issuer","subject"]`, or `["issuer",null,"client"]` for a program without a user. A subject alone would be
 * the same for two issuers, and a plain separator could be a part of either name. A client whose id is the name of a user is not
 * that user.
 */
function writeId({ issuer, subject, clientId }: VerifiedCaller): string {
  if (isName(issuer) && isName(subject)) return JSON.stringify([issuer, subject]);
  if (isName(issuer) && isName(clientId)) return JSON.stringify([issuer, null, clientId]);
  throw new TokenRefused("it names no caller: it has neither a subject nor a client");
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
