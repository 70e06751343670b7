/** The token of requests to protected servers: a JWT of ordinary size. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from "node:crypto";

/** The names in tokens. Nothing listens there, because the server has the key already. */
export const ISSUER = "https://auth.example.com";
export const RESOURCE = "https://bench.example.com/mcp";

const VARIABLE = "TOOLWIRE_BENCH_SIGNING_KEY";
const LIFETIME_SECONDS = 3600;

/** Has all processes that this one starts from now on share a key for tokens. */
export function shareSigningKey(): void {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  process.env[VARIABLE] = JSON.stringify(privateKey.export({ format: "jwk" }));
}

function readSigningKey(): JsonWebKey {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error("There is no key for tokens: the process that starts all others makes it.");
  return JSON.parse(text) as JsonWebKey;
}

/** The public key of the issuer. */
export function readPublicKey(): JsonWebKey & { readonly kty: string } {
  const key = createPublicKey({ key: readSigningKey(), format: "jwk" }).export({ format: "jwk" });
  return { ...key, kty: "EC", alg: "ES256", kid: "bench" };
}

/** Makes a token that is valid for longer than any run takes. */
export function createToken(): string {
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: "ES256", typ: "at+jwt", kid: "bench" };
  const claims = {
    iss: ISSUER,
    aud: RESOURCE,
    sub: "a-user-of-the-benchmark",
    client_id: "bench",
    scope: "mcp:read mcp:write",
    jti: crypto.randomUUID(),
    iat: now,
    exp: now + LIFETIME_SECONDS,
  };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const key = createPrivateKey({ key: readSigningKey(), format: "jwk" });
  return `${text}.${sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}
