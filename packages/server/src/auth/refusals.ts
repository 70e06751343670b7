/** The responses to requests that are not let in. */
import type { Admission } from "../bindings/admission/auth.ts";
import { retryLater } from "../bindings/admission/refusals.ts";
import type { ChallengeError } from "./challenge.ts";

/** A decision against a request. */
export type Refused = Extract<Admission, { readonly refusal: unknown }>;

/** Writes the value of `WWW-Authenticate` for an error. */
type WriteChallenge = (error?: ChallengeError) => string;

/** The refusals that are the same for all requests to a resource. */
export class Refusals {
  /** There is no token. A challenge without an error tells a client to get one (RFC 6750, section 3.1). */
  readonly missing: Refused;
  readonly malformed: Refused;
  readonly invalid: Refused;
  readonly lacksScopes: Refused;
  readonly invalidProof: Refused;
  /** It could not be found out whether the token is good. Not a 401: every client would log in again. */
  readonly unavailable: Refused;
  readonly #challenge: WriteChallenge;

  constructor(challenge: WriteChallenge, scopes: readonly string[]) {
    this.#challenge = challenge;
    const how = "The `WWW-Authenticate` header says where to get one.";
    this.missing = this.#refuse(401, undefined, `This server needs an access token. ${how}`);
    this.malformed = this.#refuse(
      400,
      "invalid_request",
      "Send one access token, in one `Authorization` header, as `Bearer` and the token; and none in the URL.",
    );
    this.invalid = this.#refuse(
      401,
      "invalid_token",
      `The access token is not accepted here: it is expired, revoked, malformed, or for another server. ${how}`,
    );
    this.lacksScopes = this.#refuse(
      403,
      "insufficient_scope",
      `The access token lacks scopes: this server needs ${scopes.join(" ")}. Get one that has them.`,
    );
    this.invalidProof = this.#refuse(
      401,
      "invalid_dpop_proof",
      "The `DPoP` header must be a new proof for this request, with the key that the access token is bound to.",
    );
    const message = "The access token cannot be verified at the moment. It may be good; try again.";
    this.unavailable = { refusal: Object.freeze(retryLater(RETRY_SECONDS, 503, message)) };
  }

  /** The proof has to have this nonce (RFC 9449, section 9). */
  wantsNonce(nonce: string): Refused {
    const message = "The DPoP proof must have the nonce of the `DPoP-Nonce` header.";
    const { refusal } = this.#refuse(401, "use_dpop_nonce", message);
    return { refusal: { ...refusal, headers: [...(refusal.headers ?? []), "DPoP-Nonce", nonce] } };
  }

  #refuse(status: number, error: ChallengeError | undefined, message: string): Refused {
    const headers = Object.freeze(["WWW-Authenticate", this.#challenge(error)]);
    return Object.freeze({ refusal: Object.freeze({ status, message, headers }) });
  }
}

/** After how many seconds clients should try again. */
const RETRY_SECONDS = 5;
