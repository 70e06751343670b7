/** Checks DPoP proofs in the order of RFC 9449, section 4.3. */
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from "jose";
import { pathOf, readTarget } from "../../bindings/admission/hosts.ts";
import type { RequestHead } from "../../bindings/admission/options.ts";

/** The token that a proof has to fit. */
export interface BoundToken {
  /** The thumbprint of the key that the token is bound to. */
  readonly keyThumbprint: string;
  /** SHA-256 of the token, as base64url. */
  readonly tokenHash: string;
}

/** The facts that are left to check of a proof that fits: its nonce, and that it is new. */
export interface Proof {
  readonly jti: string;
  readonly nonce: string | undefined;
  /** When it was made, in milliseconds. */
  readonly issuedAt: number;
}

/** A proof does not fit. The reason is for the operator. */
export class ProofRefused extends Error {}

/** A proof has another key than the token: the token is not good for whoever sent it. */
export class WrongKey extends ProofRefused {}

/** How far the clock of a client may be off, and how old a proof may be. */
export const PROOF_WINDOW_MS = 300_000;

/** A compact JWT of a length that proofs have. Several headers arrive as one text, with a comma between them. */
const COMPACT = /^[\w-]{1,8192}\.[\w-]{1,8192}\.[\w-]{1,8192}$/;

/** The members of a JWK that are secret (RFC 7518, section 6). */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Checks everything about a proof but its nonce and whether it is new. */
export async function checkProof(
  request: RequestHead,
  resource: string,
  token: BoundToken,
  algorithms: readonly string[],
  now: number,
): Promise<Proof> {
  // 1. There is one header; 2. it is one well-formed JWT.
  const text = request.header("dpop");
  if (text === undefined) throw new ProofRefused("there is none");
  if (!COMPACT.test(text)) throw new ProofRefused("it is not one JWT; there may be several");
  const { typ, alg, jwk } = readHeader(text);
  // 4. The type; 5. the algorithm; 7. the key is public. The signature (6.) can only be checked after these.
  if (typ !== "dpop+jwt") throw new ProofRefused("its `typ` is not dpop+jwt");
  if (typeof alg !== "string" || !algorithms.includes(alg)) throw new ProofRefused("its algorithm is not accepted");
  if (!isPublicKey(jwk)) throw new ProofRefused("its `jwk` is missing, or is no public key");
  // 12. (second half) The key is that of the token. Before the signature, so that nobody else's keys are computed with.
  if ((await thumbprintOf(jwk)) !== token.keyThumbprint) throw new WrongKey("its key is not that of the token");
  // 6. The signature.
  const claims = await readSigned(text, jwk, alg);
  // 3. All claims are there.
  const { jti, htm, htu, iat, ath, nonce } = claims;
  if (typeof jti !== "string" || jti === "") throw new ProofRefused("it has no `jti`");
  if (typeof iat !== "number" || !Number.isFinite(iat)) throw new ProofRefused("it has no `iat`");
  if (nonce !== undefined && typeof nonce !== "string") throw new ProofRefused("its `nonce` is no text");
  // 8. The method; 9. the URL.
  if (htm !== request.method) throw new ProofRefused("its `htm` is another method");
  if (!isTarget(htu, resource, request.target)) throw new ProofRefused("its `htu` is another URL");
  // 10. The nonce is checked by the caller. 11. The time.
  const issuedAt = iat * 1000;
  if (Math.abs(now - issuedAt) > PROOF_WINDOW_MS) throw new ProofRefused("its `iat` is too far from now");
  // 12. (first half) The token.
  if (ath !== token.tokenHash) throw new ProofRefused("its `ath` is of another token");
  return { jti, nonce, issuedAt };
}

function readHeader(text: string): { readonly typ?: unknown; readonly alg?: unknown; readonly jwk?: unknown } {
  try {
    return decodeProtectedHeader(text);
  } catch {
    throw new ProofRefused("it is no JWT");
  }
}

function isPublicKey(jwk: unknown): jwk is JWK {
  if (typeof jwk !== "object" || jwk === null || PRIVATE_MEMBERS.some((name) => name in jwk)) return false;
  const { kty } = jwk as JWK;
  return kty === "EC" || kty === "RSA" || kty === "OKP";
}

async function thumbprintOf(jwk: JWK): Promise<string> {
  try {
    return await calculateJwkThumbprint(jwk, "sha256");
  } catch {
    throw new ProofRefused("its `jwk` is incomplete");
  }
}

async function readSigned(text: string, jwk: JWK, alg: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    // Only what makes up the key: other members, such as `key_ops`, are the client's own wishes.
    const { kty, crv, x, y, n, e } = jwk;
    const key = await importJWK({ kty, crv, x, y, n, e } as JWK, alg);
    // The time is checked in its place in the list.
    const options = { algorithms: [alg], clockTolerance: Number.MAX_SAFE_INTEGER };
    return (await jwtVerify(text, key, options)).payload;
  } catch {
    throw new ProofRefused("its signature does not verify");
  }
}

/**
 * Whether a proof is for the URL of the request, without query and fragment. The server does not see the URL that clients use: that is
 * the configured one, or, on other paths such as that of a WebSocket, its origin with the path of the request.
 */
function isTarget(htu: unknown, resource: string, target: string): boolean {
  if (typeof htu !== "string" || !URL.canParse(htu)) return false;
  const { origin, pathname, username, password } = new URL(htu);
  const expected = new URL(resource);
  if (origin !== expected.origin || username !== "" || password !== "") return false;
  const path = withoutSlash(pathname);
  if (path === withoutSlash(expected.pathname)) return true;
  const requested = expected.origin + pathOf(readTarget(target).path);
  return URL.canParse(requested) && path === withoutSlash(new URL(requested).pathname);
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
