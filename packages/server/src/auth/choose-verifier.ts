import { UsageError } from "@toolwire/protocol";
import { expectOption, isObject } from "@toolwire/protocol/internal";
import { decodeJwt } from "jose";
import { audiencesOf, checkAudience } from "./tokens/audience.ts";
import { showClaim } from "./tokens/claims.ts";
import {
  type TokenContext,
  TokenRefused,
  type TokenVerifier,
  type Verified,
  type VerifiedCaller,
  type VerifyToken,
} from "./tokens/verified.ts";

/** Verifies a token, whoever has issued it. Throws {@link TokenRefused} if it is not good. */
export type VerifyAny = (token: string, context: TokenContext) => Promise<VerifiedCaller>;

/** The forms that `verify` of `protect` may have. */
export type VerifyOption = VerifyToken | TokenVerifier | readonly TokenVerifier[];

/** Reads the option `verify`: a function of the application, or one verifier for each issuer. */
export function readVerify(option: VerifyOption): { readonly verify: VerifyAny; readonly issuers: readonly string[] } {
  if (typeof option === "function") {
    return { verify: async (token, context) => settle(await option(token, context.request), context), issuers: [] };
  }
  const verifiers = Array.isArray(option) ? (option as readonly TokenVerifier[]) : [option as TokenVerifier];
  const fits = verifiers.length > 0 && verifiers.every(isVerifier);
  expectOption("verify", option, fits, "`jwt(…)`, `introspection(…)`, a list of them, or a function");
  const issuers = verifiers.map(({ issuer }) => issuer);
  const repeated = issuers.find((issuer, index) => issuers.indexOf(issuer) !== index);
  if (repeated !== undefined) {
    throw new UsageError("INVALID_ARGUMENT", `\`verify\` has two verifiers for ${JSON.stringify(repeated)}: give one.`);
  }
  if (verifiers.filter(({ takesOpaqueTokens }) => takesOpaqueTokens).length > 1) {
    const reason =
      "a token that does not tell its issuer would have to be shown to an authorization server that is not its own";
    throw new UsageError("INVALID_ARGUMENT", `\`verify\` has several verifiers for opaque tokens, but ${reason}.`);
  }
  const verify: VerifyAny = async (token, context) =>
    settle(await chooseVerifier(verifiers, token).verify(token, context), context);
  return { verify, issuers };
}

function isVerifier(value: unknown): value is TokenVerifier {
  const { issuer, verify } = (isObject(value) ? value : {}) as Partial<TokenVerifier>;
  return typeof issuer === "string" && issuer !== "" && typeof verify === "function";
}

/**
 * Chooses a verifier by the issuer that a token names. Nothing is believed by that: the verifier accepts only its own issuer. A token
 * that names another issuer is shown to nobody.
 */
function chooseVerifier(verifiers: readonly TokenVerifier[], token: string): TokenVerifier {
  const iss = readIssuer(token);
  const chosen =
    iss === undefined
      ? verifiers.find(({ takesOpaqueTokens }) => takesOpaqueTokens)
      : verifiers.find(({ issuer }) => issuer === iss);
  if (chosen !== undefined) return chosen;
  if (iss === undefined) throw new TokenRefused("it is no JWT that names an issuer, and there is no `introspection`");
  throw new TokenRefused(`its issuer is ${showClaim(iss)}, for which there is no verifier`);
}

/** The issuer that a JWT names; `undefined` for other texts. */
function readIssuer(token: string): unknown {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Checks what a verifier returned. One that says nothing about the audience has not checked it. */
function settle(verified: Verified | undefined, { resource }: TokenContext): VerifiedCaller {
  if (verified === undefined || verified === null) throw new TokenRefused("the verifier refused it");
  if (verified.audienceChecked !== true) {
    checkAudience(verified.audience, { accepted: audiencesOf(resource), isExclusive: false });
  }
  return verified;
}
