/** Writes challenges: the values of `WWW-Authenticate` (RFC 9110, section 11.6.1; RFC 6750, section 3; RFC 9449, section 7.1). */
import { isScope } from "./tokens/scopes.ts";

/** A name and its value. Those without a value are left out. */
export type ChallengeParameter = readonly [name: string, value: string | undefined];

/** Everything that a quoted string in a header of OAuth cannot hold (RFC 6750, section 3), line breaks above all. */
const UNSENDABLE = /[^\x20-\x7e]/g;

/** Writes one challenge. Values are quoted; characters that a header cannot carry are left out. */
export function writeChallenge(scheme: string, parameters: readonly ChallengeParameter[]): string {
  const written = parameters.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${quote(value)}`]));
  return written.length === 0 ? scheme : `${scheme} ${written.join(", ")}`;
}

function quote(value: string): string {
  return `"${value.replaceAll(UNSENDABLE, "").replaceAll(/["\\]/g, "\\$&")}"`;
}

/** Why a request is refused, in the words of RFC 6750 and RFC 9449. */
export type ChallengeError =
  | "invalid_request"
  | "invalid_token"
  | "insufficient_scope"
  | "invalid_dpop_proof"
  | "use_dpop_nonce";

/** Descriptions for the error codes. They are fixed: a description of the very token would help those who guess. */
const DESCRIPTIONS: Readonly<Record<ChallengeError, string>> = {
  invalid_request: "The request must have one access token, in the Authorization header",
  invalid_token: "The access token is expired, revoked, malformed, or not for this resource",
  insufficient_scope: "The access token lacks scopes",
  invalid_dpop_proof: "The DPoP proof is missing, or does not fit this request and access token",
  use_dpop_nonce: "The DPoP proof must have the nonce that comes with this response",
};

/** The parts that all challenges of a resource have in common. */
export interface ChallengeSettings {
  readonly metadataUrl: string;
  readonly takesBearer: boolean;
  /** The algorithms of DPoP proofs; `undefined` if tokens cannot be bound to keys here. */
  readonly dpopAlgorithms: readonly string[] | undefined;
}

/** Writes the challenges of a refusal: one for each scheme. `Bearer` comes first, because some clients read only that. */
export function writeChallenges(
  { metadataUrl, takesBearer, dpopAlgorithms }: ChallengeSettings,
  scopes: readonly string[],
  error?: ChallengeError,
): string {
  const parametersOf = (shown: ChallengeError | undefined): readonly ChallengeParameter[] => [
    ["error", shown],
    ["error_description", shown && DESCRIPTIONS[shown]],
    ["scope", scopes.filter(isScope).join(" ") || undefined],
    ["resource_metadata", metadataUrl],
  ];
  // A client that sends no proofs cannot do anything about errors in them.
  const isAboutProof = error === "invalid_dpop_proof" || error === "use_dpop_nonce";
  const challenges = [];
  if (takesBearer) challenges.push(writeChallenge("Bearer", parametersOf(isAboutProof ? undefined : error)));
  if (dpopAlgorithms !== undefined) {
    challenges.push(writeChallenge("DPoP", [...parametersOf(error), ["algs", dpopAlgorithms.join(" ")]]));
  }
  return challenges.join(", ");
}
