import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTVerifyGetKey } from "jose";
import { networkOf } from "../bindings/admission/callers.ts";
import { type JwtOptions, type JwtSettings, normalizeType, readJwtOptions } from "./jwt-options.ts";
import { readClaims } from "./tokens/claim-options.ts";
import { isShallow, showClaim } from "./tokens/claims.ts";
import { checkPurpose } from "./tokens/purpose.ts";
import { type Claims, type TokenContext, TokenRefused, type TokenVerifier, type Verified } from "./tokens/verified.ts";

/** How many keys are tried for a token that names none. */
const MAX_KEYS_TRIED = 4;

/** Verifies access tokens that are JWTs (RFC 9068, and what providers made before it). */
export function jwt(options: JwtOptions): TokenVerifier {
  return new JwtVerifier(readJwtOptions(options));
}

class JwtVerifier implements TokenVerifier {
  readonly issuer: string;
  readonly takesOpaqueTokens = false;
  readonly #settings: JwtSettings;

  constructor(settings: JwtSettings) {
    this.#settings = settings;
    this.issuer = settings.issuer;
  }

  async verify(token: string, { resource, request }: TokenContext): Promise<Verified> {
    this.#checkUnverified(token);
    const claims = await this.#checkSignature(token, networkOf(request.address));
    if (!isShallow(claims)) throw new TokenRefused("its claims are nested too deep");
    if (claims["exp"] === undefined) throw new TokenRefused("it has no `exp`: it would never expire");
    checkPurpose(claims);
    return readClaims(claims, this.issuer, this.#settings.claims, resource);
  }

  /** Refuses what cannot be good before anything is fetched or computed for it. */
  #checkUnverified(token: string): void {
    const { tokenTypes, algorithms } = this.#settings;
    let typ: unknown;
    let alg: unknown;
    let iss: unknown;
    try {
      ({ typ = "", alg } = decodeProtectedHeader(token));
      ({ iss } = decodeJwt(token));
    } catch {
      throw new TokenRefused("it is no JWT");
    }
    if (typeof typ !== "string" || !tokenTypes.includes(normalizeType(typ))) {
      throw new TokenRefused(`its type (\`typ\`) is ${showClaim(typ)}, which is no access token`);
    }
    if (!algorithms.includes(alg as string)) throw new TokenRefused(`its algorithm is ${showClaim(alg)}`);
    if (iss === this.issuer) return;
    throw new TokenRefused(`its issuer is ${showClaim(iss)}, not ${JSON.stringify(this.issuer)}`);
  }

  async #checkSignature(token: string, network: string | undefined): Promise<Claims> {
    const { keys } = this.#settings;
    const findKey: JWTVerifyGetKey = (header, jws) => keys.find(network, header, jws);
    const options = {
      issuer: this.issuer,
      algorithms: [...this.#settings.algorithms],
      // The times are checked after the signature, with another tolerance for each.
      clockTolerance: Number.MAX_SAFE_INTEGER,
    };
    try {
      return (await jwtVerify(token, findKey, options)).payload;
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyByAny(token, error, options);
      throw error instanceof errors.JOSEError ? new TokenRefused(`it does not verify (${error.code})`) : error;
    }
  }
}

/** Tries the keys that a token without a key id may be signed with. */
async function verifyByAny(
  token: string,
  keys: errors.JWKSMultipleMatchingKeys,
  options: Parameters<typeof jwtVerify>[2],
): Promise<Claims> {
  let tried = 0;
  for await (const key of keys) {
    tried += 1;
    if (tried > MAX_KEYS_TRIED) break;
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) break;
    }
  }
  throw new TokenRefused("it names no key, and none of those that fit has signed it");
}
