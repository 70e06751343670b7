import { UsageError } from "@toolwire/protocol";

/** An algorithm by which a client signs. */
export type SigningAlgorithm = "ES256" | "ES384" | "RS256" | "PS256" | "EdDSA";

/** The parameters of Web Crypto for each algorithm. */
const IMPORTS: { readonly [algorithm in SigningAlgorithm]: EcKeyImportParams | RsaHashedImportParams | Algorithm } = {
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
};

/** The names of all algorithms. */
export const SIGNING_ALGORITHMS: readonly string[] = Object.keys(IMPORTS);

/** Reads a private key: PEM with PKCS#8, a JWK, or a key of Web Crypto, which stays as it is. */
export async function importPrivateKey(
  given: string | JsonWebKey | CryptoKey,
  algorithm: SigningAlgorithm,
): Promise<CryptoKey> {
  if (typeof given === "object" && "algorithm" in given) return given as CryptoKey;
  const parameters = IMPORTS[algorithm];
  try {
    if (typeof given === "string") {
      return await crypto.subtle.importKey("pkcs8", readPem(given), parameters, false, ["sign"]);
    }
    return await crypto.subtle.importKey("jwk", given as JsonWebKey, parameters, false, ["sign"]);
  } catch {
    // The cause is left out: it may quote the key.
    const message = `\`key\` is no private key for ${algorithm}: give PEM that begins "-----BEGIN PRIVATE KEY-----", a JWK, or a CryptoKey.`;
    throw new UsageError("INVALID_ARGUMENT", message);
  }
}

function readPem(pem: string): Uint8Array<ArrayBuffer> {
  const found = /-----BEGIN PRIVATE KEY-----([\s\S]*?)-----END PRIVATE KEY-----/.exec(pem);
  const text = atob((found?.[1] ?? "").replace(/\s/g, ""));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
