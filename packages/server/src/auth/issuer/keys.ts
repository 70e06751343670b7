/**
 * The public keys of an issuer. `jose` chooses the key of a token; loading is our own, because `createRemoteJWKSet` gives up its
 * keys when they are old and the issuer is down, tries again at every request after a failure, and reads responses without a bound.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { TokenRefused, VerificationUnavailable } from "../tokens/verified.ts";
import { type AuthFetch, fetchDocument } from "./fetch-document.ts";
import { findJwksUri, MAX_DOCUMENT_BYTES } from "./issuer-metadata.ts";
import { mayShareWork, SharedWork } from "./shared-work.ts";

/** Keys are loaded again when they are this old, */
const REFRESH_MS = 10 * 60_000;
/** used for this long if that fails, */
const MAX_AGE_MS = 24 * 60 * 60_000;
/** and loaded for an unknown key, or after a failure, only if the last attempt is this long ago. */
const COOLDOWN_MS = 30_000;
/** After a failure without any keys to go on with, the next attempt may be sooner. */
const RETRY_MS = 2000;

/** Where the keys of an issuer come from. */
export interface KeySource {
  readonly issuer: string;
  /** The URL of the keys. Otherwise the metadata of the issuer tell it. */
  readonly jwksUri: string | undefined;
  readonly fetch: AuthFetch;
}

/** Keys that are given, and never loaded. */
export function createFixedKeys(set: JSONWebKeySet): JWTVerifyGetKey {
  const find = createLocalJWKSet(set);
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      throw error instanceof errors.JWKSNoMatchingKey ? new TokenRefused("none of `keys` has signed it") : error;
    }
  };
}

/** Keys that are loaded when they are first needed, and from time to time. */
export class RemoteKeys {
  readonly #source: KeySource;
  readonly #loads = new SharedWork<void>();
  /** Machines that were started together do not ask at the same time. */
  readonly #jitter = 0.9 + Math.random() * 0.2;
  #find: ReturnType<typeof createLocalJWKSet> | undefined;
  #loadedAt = -Infinity;
  #triedAt = -Infinity;
  #failure: VerificationUnavailable | undefined;
  #jwksUri: string | undefined;
  #foundAt = -Infinity;

  constructor(source: KeySource) {
    this.#source = source;
  }

  /** Finds the key of a token. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const age = this.#age();
    if (this.#find === undefined || age >= MAX_AGE_MS) await this.#load(RETRY_MS);
    else if (age >= REFRESH_MS * this.#jitter) await this.#refresh();
    try {
      return await this.#find!(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    // The issuer may have a new key. If that cannot be found out, nothing is known about the token.
    await this.#load(COOLDOWN_MS);
    try {
      return await this.#find!(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      throw new TokenRefused("the issuer has no such key", true);
    }
  };

  #age(): number {
    return Date.now() - this.#loadedAt;
  }

  /** Loads the keys while the old ones are used. Where work cannot go on in the background, it is waited for. */
  async #refresh(): Promise<void> {
    const load = this.#load(COOLDOWN_MS).catch(() => {});
    if (!mayShareWork()) await load;
  }

  /** Loads the keys, unless that was tried a moment ago: then the outcome is the same. */
  #load(cooldown: number): Promise<void> {
    return this.#loads.run("keys", async () => {
      if (Date.now() - this.#triedAt < cooldown * this.#jitter) {
        if (this.#failure !== undefined) throw this.#failure;
        return;
      }
      try {
        this.#find = createLocalJWKSet(await this.#fetchKeys());
        this.#loadedAt = Date.now();
        this.#failure = undefined;
      } catch (error) {
        // The URL may have changed.
        this.#jwksUri = undefined;
        this.#failure =
          error instanceof VerificationUnavailable
            ? error
            : new VerificationUnavailable(`The keys of ${this.#source.issuer} cannot be used`);
        throw this.#failure;
      } finally {
        // At the end: where work is not shared, a load that has only begun may be cancelled, and says nothing.
        this.#triedAt = Date.now();
      }
    });
  }

  async #fetchKeys(): Promise<JSONWebKeySet> {
    const { issuer, fetch: send } = this.#source;
    if (Date.now() - this.#foundAt >= MAX_AGE_MS) this.#jwksUri = undefined;
    if (this.#jwksUri === undefined) {
      this.#jwksUri = this.#source.jwksUri ?? (await findJwksUri(issuer, send));
      this.#foundAt = Date.now();
    }
    const init = { method: "GET", headers: { accept: "application/jwk-set+json, application/json" } };
    const { status, document } = await fetchDocument(send, this.#jwksUri, init, MAX_DOCUMENT_BYTES);
    if (status === 200 && Array.isArray(document?.["keys"])) return document as unknown as JSONWebKeySet;
    throw new VerificationUnavailable(`${this.#jwksUri} has no keys (HTTP status ${status})`);
  }
}
