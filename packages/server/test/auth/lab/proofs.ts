import { createHash, randomUUID } from "node:crypto";
import { calculateJwkThumbprint, type JWTHeaderParameters, SignJWT } from "jose";
import { vi } from "vitest";
import { protect, jwt, type DpopMode, type DpopOptions, type TokenProtection } from "../../../src/auth/index.ts";
import type { RequestHead } from "../../../src/bindings/admission/options.ts";
import { createKey, headOf, RESOURCE, seconds, sign, type TestKey } from "./issuer.ts";

const ISSUER = "https://auth.example.com";

/** A client with a key, the token that is bound to it, and an issuer. */
export class DpopLab {
  readonly issuerKey: TestKey;
  readonly clientKey: TestKey;
  readonly told: string[] = [];

  private constructor(issuerKey: TestKey, clientKey: TestKey) {
    this.issuerKey = issuerKey;
    this.clientKey = clientKey;
  }

  static async create(alg = "ES256"): Promise<DpopLab> {
    return new DpopLab(await createKey("ES256", "key-1"), await createKey(alg));
  }

  protect(dpop: DpopMode | DpopOptions | false, resource = RESOURCE): TokenProtection {
    const verify = jwt({ issuer: ISSUER, audience: RESOURCE, keys: { keys: [this.issuerKey.jwk] } });
    return protect({ resource, verify, dpop, onDiagnostic: ({ message }) => void this.told.push(message) });
  }

  /** A protection that has run for so long that proofs need no nonce of its start. */
  protectForLong(dpop: DpopMode | DpopOptions): TokenProtection {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 700_000 });
    const auth = this.protect(dpop);
    vi.useRealTimers();
    return auth;
  }

  /** A token that is bound to the client's key; or to none, or another one. */
  async token(cnf?: object | null): Promise<string> {
    const bound = cnf === undefined ? { jkt: await calculateJwkThumbprint(this.clientKey.jwk) } : cnf;
    const claims = { iss: ISSUER, sub: "ada", aud: RESOURCE, exp: seconds(600), jti: randomUUID() };
    return sign(this.issuerKey, { ...claims, ...(bound !== null && { cnf: bound }) });
  }

  /** A proof for a token. `more` changes its claims: those that are undefined are left out. */
  async proof(token: string, more: object = {}, header: object = {}, key: TestKey = this.clientKey): Promise<string> {
    const claims = {
      jti: randomUUID(),
      htm: "POST",
      htu: RESOURCE,
      iat: seconds(),
      ath: createHash("sha256").update(token).digest("base64url"),
      ...more,
    };
    const protectedHeader = { alg: key.alg, typ: "dpop+jwt", jwk: key.jwk, ...header };
    return new SignJWT(claims).setProtectedHeader(protectedHeader as JWTHeaderParameters).sign(key.privateKey);
  }

  /** A request with a bound token and a proof. */
  head(token: string, proof: string | undefined, target = "/mcp", method = "POST"): RequestHead {
    const authorization = `DPoP ${token}`;
    return headOf({ authorization, ...(proof !== undefined && { dpop: proof }) }, target, method);
  }
}
