/**
 * The public keys of an issuer. `jose` chooses the key of a token; loading is our own, because `createRemoteJWKSet` gives up its
 * keys when they are old and the issuer is down, tries again at every request after a failure, and reads responses without a bound.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { CallerShares, defaultShare } from "../../bindings/admission/callers.ts";
import { TokenRefused, VerificationUnavailable } from "../tokens/verified.ts";
import { type AuthFetch, fetchDocument } from "./fetch-document.ts";
import { findJwksUri, MAX_DOCUMENT_BYTES } from "./issuer-metadata.ts";
import { mayShareWork, SharedWork } from "./shared-work.ts";

/** Keys are loaded again when they are this old, */
const REFRESH_MS = 10 * 60_000;
/** used for this long if that fails, */
const MAX_AGE_MS = 24 * 60 * 60_000;
/** and after a failure loaded again only if the last attempt is this long ago. */
const COOLDOWN_MS = 30_000;
/** After a failure without any keys to go on with, the next attempt may be sooner. */
const RETRY_MS = 2000;
/** The time between two loads for keys that nobody knows: strangers can make up any number of key ids. */
const LOOKUP_PAUSE_MS = 5000;
/** How many tokens may wait for such a load at the same time. */
const MAX_WAITING = 100;

type FoundKey = Awaited<ReturnType<JWTVerifyGetKey>>;

/** The keys of an issuer, as verifiers use them. */
export interface IssuerKeys {
  /** Finds the key of a token. `network`: where the token came from. Each network has a share of what is limited. */
  find(network: string | undefined, ...token: Parameters<JWTVerifyGetKey>): Promise<FoundKey>;
}

/** Where the keys of an issuer come from. */
export interface KeySource {
  readonly issuer: string;
  /** The URL of the keys. Otherwise the metadata of the issuer tell it. */
  readonly jwksUri: string | undefined;
  readonly fetch: AuthFetch;
}

/** Keys that are given, and never loaded. */
export function createFixedKeys(set: JSONWebKeySet): IssuerKeys {
  const find = createLocalJWKSet(set);
  return {
    async find(_network, ...token) {
      try {
        return await find(...token);
      } catch (error) {
        throw error instanceof errors.JWKSNoMatchingKey ? new TokenRefused("none of `keys` has signed it") : error;
      }
    },
  };
}

/** Keys that are loaded when they are first needed, from time to time, and when a token has an unknown one. */
export class RemoteKeys implements IssuerKeys {
  readonly #source: KeySource;
  readonly #loads = new SharedWork<void>();
  /** Machines that were started together do not ask at the same time. */
  readonly #jitter = 0.9 + Math.random() * 0.2;
  #search: ReturnType<typeof createLocalJWKSet> | undefined;
  #loadedAt = -Infinity;
  #triedAt = -Infinity;
  #failure: VerificationUnavailable | undefined;
  #jwksUri: string | undefined;
  #foundAt = -Infinity;
  /** How many loads have begun, and the number of the one that has brought the present keys. */
  #begun = 0;
  #loaded = 0;
  /** When keys were looked up for a token, and the pause until that may be done again, while tokens wait for its end. */
  #lookedUpAt = -Infinity;
  #pause: Promise<void> | undefined;
  #waiting = 0;
  readonly #waitingByNetwork = new CallerShares(defaultShare(MAX_WAITING));

  constructor(source: KeySource) {
    this.#source = source;
  }

  async find(network: string | undefined, ...token: Parameters<JWTVerifyGetKey>): Promise<FoundKey> {
    // The issuer publishes a key before it signs with it, so only a load that begins from here on tells that there is none.
    const before = this.#begun;
    const age = timeSince(this.#loadedAt);
    if (this.#search === undefined || age >= MAX_AGE_MS) await this.#load(RETRY_MS);
    else if (age >= REFRESH_MS * this.#jitter) await this.#refresh();
    let key = await this.#searchFor(token);
    if (key === undefined && this.#loaded <= before) {
      // A load that has begun already may bring the key.
      await this.#loads.running("keys")?.catch(() => {});
      key = await this.#searchFor(token);
    }
    if (key === undefined && this.#loaded <= before) {
      await this.#lookUp(network);
      key = await this.#searchFor(token);
    }
    if (key !== undefined) return key;
    if (this.#loaded > before) throw new TokenRefused("the issuer has no such key", true);
    throw new VerificationUnavailable(`It is not known whether ${this.#source.issuer} has the key of a token`);
  }

  async #searchFor(token: Parameters<JWTVerifyGetKey>): Promise<FoundKey | undefined> {
    try {
      return await this.#search!(...token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }

  /** Loads the keys while the old ones are used. Where work cannot go on in the background, it is waited for. */
  async #refresh(): Promise<void> {
    const load = this.#load(COOLDOWN_MS).catch(() => {});
    if (!mayShareWork()) await load;
  }

  /** Loads the keys for a token that has an unknown one, or waits for the next time when that may be done. */
  async #lookUp(network: string | undefined): Promise<void> {
    if (this.#waiting >= MAX_WAITING || !this.#waitingByNetwork.hasRoom(network)) {
      throw new VerificationUnavailable(`Too many tokens wait for new keys of ${this.#source.issuer}`);
    }
    this.#waiting += 1;
    this.#waitingByNetwork.take(network);
    try {
      await this.#awaitPause();
      await this.#load(0);
    } finally {
      this.#waiting -= 1;
      this.#waitingByNetwork.release(network);
    }
  }

  async #awaitPause(): Promise<void> {
    if (this.#failure !== undefined && timeSince(this.#triedAt) < LOOKUP_PAUSE_MS) throw this.#failure;
    const left = LOOKUP_PAUSE_MS - timeSince(this.#lookedUpAt);
    if (left <= 0) return;
    // Where work is not shared, every token would ask for itself at the end of the pause.
    if (!mayShareWork()) throw new VerificationUnavailable("The keys were looked up a moment ago");
    this.#pause ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#pause = undefined;
        resolve();
      }, left);
    });
    await this.#pause;
  }

  /** Loads the keys, unless that was tried a moment ago: then the outcome is the same. */
  #load(cooldown: number): Promise<void> {
    return this.#loads.run("keys", async () => {
      if (timeSince(this.#triedAt) < cooldown * this.#jitter) {
        if (this.#failure !== undefined) throw this.#failure;
        return;
      }
      this.#begun += 1;
      const number = this.#begun;
      try {
        this.#search = createLocalJWKSet(await this.#fetchKeys());
        this.#loaded = number;
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
        if (cooldown === 0) this.#lookedUpAt = this.#triedAt;
      }
    });
  }

  async #fetchKeys(): Promise<JSONWebKeySet> {
    const { issuer, fetch: send } = this.#source;
    if (timeSince(this.#foundAt) >= MAX_AGE_MS) this.#jwksUri = undefined;
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

/** How long ago a point in time was, in milliseconds. The clock may have been set back meanwhile. */
function timeSince(time: number): number {
  return Math.abs(Date.now() - time);
}
