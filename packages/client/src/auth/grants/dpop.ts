/**
 * Proofs that a request comes from the owner of a token (RFC 9449), for requests to MCP servers. Those to authorization
 * servers are made by `oauth4webapi`, from the same key.
 */

/** The only algorithm that is used: every server with DPoP has it. */
const DPOP_ALGORITHM = "ES256";

/** The most origins of which the last nonce is kept. */
const MAX_NONCES = 100;

/** A key that tokens are bound to. */
export class DpopKey {
  readonly pair: CryptoKeyPair;
  readonly #jwk: JsonWebKey;
  /** The last nonce of each origin: authorization servers and resource servers have their own. */
  readonly #nonces = new Map<string, string>();
  /** The hash of the last token, which most requests share. */
  #lastToken = "";
  #lastHash = "";

  private constructor(pair: CryptoKeyPair, jwk: JsonWebKey) {
    this.pair = pair;
    this.#jwk = jwk;
  }

  /** Makes a key. One that is kept outside of this process must be extractable. */
  static async generate(isExtractable: boolean): Promise<DpopKey> {
    const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, isExtractable, [
      "sign",
      "verify",
    ]);
    return DpopKey.of(pair);
  }

  static async of(pair: CryptoKeyPair): Promise<DpopKey> {
    const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
    return new DpopKey(pair, { kty, crv, x, y } as JsonWebKey);
  }

  /** Reads a key that was kept: as a pair, where the store holds such objects, or as a JWK. */
  static async read(kept: unknown): Promise<DpopKey | undefined> {
    const { privateKey, d } = (kept ?? {}) as Partial<CryptoKeyPair & JsonWebKey>;
    if (privateKey !== undefined) return DpopKey.of(kept as CryptoKeyPair);
    if (d === undefined) return undefined;
    const { d: _secret, ...open } = kept as JsonWebKey;
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    return DpopKey.of({
      privateKey: await crypto.subtle.importKey(
        "jwk",
        { ...(kept as JsonWebKey), key_ops: ["sign"] },
        algorithm,
        true,
        ["sign"],
      ),
      publicKey: await crypto.subtle.importKey("jwk", { ...open, key_ops: ["verify"] }, algorithm, true, ["verify"]),
    });
  }

  /** Writes the key for a store. */
  async write(): Promise<unknown> {
    if (!this.pair.privateKey.extractable) return this.pair;
    const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", this.pair.privateKey);
    return { kty, crv, x, y, d };
  }

  /** The thumbprint of the key (RFC 7638). */
  async thumbprint(): Promise<string> {
    const { crv, kty, x, y } = this.#jwk;
    return hash(JSON.stringify({ crv, kty, x, y }));
  }

  /** Keeps the nonce that a server wants to see in the next proof. Returns whether it is a new one. */
  learnNonce(origin: string, nonce: string | undefined): boolean {
    if (nonce === undefined || nonce === "" || this.#nonces.get(origin) === nonce) return false;
    this.#nonces.delete(origin);
    if (this.#nonces.size >= MAX_NONCES) this.#nonces.delete(this.#nonces.keys().next().value!);
    this.#nonces.set(origin, nonce);
    return true;
  }

  /** Makes a proof for one request. Each has an id of its own: servers refuse one that they have seen. */
  async prove(method: string, url: URL, token: string): Promise<string> {
    if (token !== this.#lastToken) {
      this.#lastHash = await hash(token);
      this.#lastToken = token;
    }
    const header = { alg: DPOP_ALGORITHM, typ: "dpop+jwt", jwk: this.#jwk };
    const nonce = this.#nonces.get(url.origin);
    const payload = {
      jti: base64url(crypto.getRandomValues(new Uint8Array(32))),
      htm: method,
      htu: `${url.origin}${url.pathname}`,
      iat: Math.floor(Date.now() / 1000),
      ath: this.#lastHash,
      ...(nonce !== undefined && { nonce }),
    };
    const signed = `${encodeJson(header)}.${encodeJson(payload)}`;
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signature = await crypto.subtle.sign(algorithm, this.pair.privateKey, new TextEncoder().encode(signed));
    return `${signed}.${base64url(new Uint8Array(signature))}`;
  }
}

async function hash(text: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

function encodeJson(value: object): string {
  return base64url(new TextEncoder().encode(JSON.stringify(value)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");
}
