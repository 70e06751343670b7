/** The contract between `protect` and what verifies tokens. */
import type { RequestHead } from "../../bindings/admission/options.ts";

/** The facts about a caller whose token was verified. */
export interface VerifiedCaller {
  /** The authorization server that issued the token. Callers of different issuers are never the same caller. */
  readonly issuer: string;
  /** The user, by a name that the issuer never gives to another one. Not an address of e-mail: those change hands. */
  readonly subject?: string | undefined;
  /** The program that got the token. It is the caller if there is no `subject`. */
  readonly clientId?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** When the token expires, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** Everything else that is known of the token. Handlers find it in `ctx.principal.claims`. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** The thumbprint of the key that the token is bound to (`cnf.jkt` of RFC 9449). Such a token needs a DPoP proof. */
  readonly keyThumbprint?: string | undefined;
  /** How long the token counts as verified, in milliseconds: at most, and by default, 60 000. 0: verify it every time. */
  readonly maxAge?: number | undefined;
}

/**
 * A good token. It says whom the token is for, so that it can be compared with `resource`; or that the verifier has done so. A token
 * for another server must not be accepted: whoever runs that server could use it here.
 */
export type Verified = VerifiedCaller &
  (
    | { readonly audience: string | readonly string[]; readonly audienceChecked?: undefined }
    | { readonly audience?: undefined; readonly audienceChecked: true }
  );

/** The facts that a verifier may need besides the token. */
export interface TokenContext {
  /** The `resource` that tokens have to be for. */
  readonly resource: string;
  /** The request that came with the token. Requests with the same token share one verification. */
  readonly request: RequestHead;
}

/** Verifies the tokens of one issuer. `jwt` and `introspection` make one. */
export interface TokenVerifier {
  /** The issuer, exactly as it is in tokens. */
  readonly issuer: string;
  /** Whether it also verifies texts that are no JWTs, which do not tell their issuer. */
  readonly takesOpaqueTokens: boolean;
  /** Resolves to `undefined` if the token is not good. An error means that this could not be found out: the caller gets a 503. */
  verify(token: string, context: TokenContext): Verified | undefined | Promise<Verified | undefined>;
}

/** A verifier of your own. `undefined` refuses the token; an error means that it could not be verified now. */
export type VerifyToken = (token: string, request: RequestHead) => Verified | undefined | Promise<Verified | undefined>;

/** A token is not good. The reason is for the operator only, and has nothing in it that could be used as a credential. */
export class TokenRefused extends Error {
  /** Whether the same token may be good soon, so that the refusal is not remembered. */
  readonly mayChange: boolean;

  constructor(reason: string, mayChange = false) {
    super(reason);
    this.mayChange = mayChange;
  }
}

/** It could not be found out whether a token is good: another server is down, or its answer makes no sense. */
export class VerificationUnavailable extends Error {}

/** The members of a token or of a document. */
export type Claims = Readonly<Record<string, unknown>>;
