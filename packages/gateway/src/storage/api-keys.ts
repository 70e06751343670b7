import { randomBytes } from "node:crypto";
import { UsageError } from "@toolwire/protocol";
import { digestOf } from "../secrets/secret.ts";
import type { ApiKey } from "./storage.ts";

const PREFIX = "twk_";
const SHAPE = /^twk_[A-Za-z0-9_-]{43}$/;

/** The options of a new key. */
export interface KeyRequest {
  readonly name: string;
  readonly servers?: readonly string[] | undefined;
  readonly principal?: string | undefined;
  readonly expiresAt?: number | undefined;
}

/** A new key: what is kept of it, and the key itself, which is kept nowhere. */
export interface NewKey {
  readonly key: ApiKey;
  /** SHA-256 of the key, in base64url. */
  readonly digest: string;
  readonly secret: string;
}

/** Makes a key of 32 random bytes. */
export function createKey(request: KeyRequest, at: number): NewKey {
  const name = request.name.trim();
  if (name === "" || name.length > 200 || name.includes("\0")) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      "An API key needs a name of 1 to 200 characters that says what it is for.",
    );
  }
  if (request.expiresAt !== undefined && !(request.expiresAt > at)) {
    throw new UsageError("INVALID_ARGUMENT", "`expiresAt` must be a time in the future, in milliseconds since 1970.");
  }
  const { principal } = request;
  if (principal !== undefined && !/^[^\0]{1,200}$/.test(principal)) {
    throw new UsageError("INVALID_ARGUMENT", "The principal of an API key has 1 to 200 characters.");
  }
  const secret = PREFIX + randomBytes(32).toString("base64url");
  const key: ApiKey = {
    // Letters and digits only: on a command line, an id that begins with a hyphen would be an option.
    id: `key_${randomBytes(9).toString("hex")}`,
    name,
    prefix: secret.slice(0, PREFIX.length + 6),
    ...(request.servers !== undefined && { servers: [...request.servers] }),
    ...(principal !== undefined && { principal }),
    createdAt: at,
    ...(request.expiresAt !== undefined && { expiresAt: request.expiresAt }),
  };
  return { key, digest: digestOf(secret), secret };
}

/** The keys in memory, by digest. A lookup compares digests, so its time tells nothing about keys. */
export class KeyTable {
  readonly #now: () => number;
  readonly #lastUses = new Map<string, number>();
  #byDigest = new Map<string, ApiKey>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Finds a key, and notes that it was used. */
  find(secret: string): ApiKey | undefined {
    if (!SHAPE.test(secret)) return undefined;
    const key = this.#byDigest.get(digestOf(secret));
    if (key === undefined) return undefined;
    const now = this.#now();
    if (key.expiresAt !== undefined && key.expiresAt <= now) return undefined;
    this.#lastUses.set(key.id, now);
    return key;
  }

  /** Oldest first. */
  list(): readonly ApiKey[] {
    return [...this.#byDigest.values()]
      .toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1))
      .map((key) => {
        const lastUsedAt = Math.max(key.lastUsedAt ?? 0, this.#lastUses.get(key.id) ?? 0);
        return lastUsedAt === 0 ? key : { ...key, lastUsedAt };
      });
  }

  add(digest: string, key: ApiKey): void {
    this.#byDigest.set(digest, key);
  }

  remove(id: string): boolean {
    for (const [digest, key] of this.#byDigest) if (key.id === id) return this.#byDigest.delete(digest);
    return false;
  }

  replaceAll(keys: Iterable<readonly [digest: string, key: ApiKey]>): void {
    this.#byDigest = new Map(keys);
  }

  /** The last uses that were noted since this was last called, by id. */
  takeLastUses(): ReadonlyMap<string, number> {
    const uses = new Map(this.#lastUses);
    this.#lastUses.clear();
    return uses;
  }
}
