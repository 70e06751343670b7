import { AuthError } from "@toolwire/protocol";
import { Turns } from "@toolwire/protocol/internal";
import type { AuthStore, LockedWork } from "./auth-store.ts";

/** The tokens of one user, or of one machine, for one server. */
export interface Grant {
  readonly issuer: string;
  readonly clientId: string;
  /** The value of `resource` in requests for tokens; absent where it is not sent. */
  readonly resource?: string | undefined;
  readonly accessToken: string;
  readonly tokenType: "Bearer" | "DPoP";
  readonly refreshToken?: string | undefined;
  /** The scopes that were asked for, which a later login has to ask for again. */
  readonly requested?: readonly string[] | undefined;
  /** The scopes that were granted, if the authorization server said so. */
  readonly granted?: readonly string[] | undefined;
  /** When the access token was issued and when it ends, in milliseconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt?: number | undefined;
  /** The key that the tokens are bound to. */
  readonly dpopKey?: unknown;
  /** Differs for every login: another login may be that of another user. */
  readonly login: string;
  /** How often it was to be renewed. Whoever began a renewal before a later one may not replace what that one has kept. */
  readonly renewal?: number | undefined;
  /** The token endpoint of a server without metadata. */
  readonly guessedEndpoint?: string | undefined;
}

/** Which grant belongs to a server: known before the server is asked. */
export interface Binding {
  readonly issuer: string;
  readonly clientId: string;
  readonly resource?: string | undefined;
}

/** A client that was registered dynamically at one authorization server. */
export interface Registration {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** When the secret ends, in milliseconds since 1970. */
  readonly secretExpiresAt?: number | undefined;
  readonly method: string;
  readonly redirectUri: string;
}

/** Whose grants they are: how they are got, and by which client. No two ways to get tokens share one, nor do two users. */
export interface GrantOwner {
  /** The kind of grant, and the client as it is configured. They hold no secrets. */
  readonly identity: readonly [kind: GrantKind, client: string];
  /** The user, if several share a store. */
  readonly account: string | undefined;
}

/** How a grant is got. */
type GrantKind = "authorization_code" | "client_credentials" | "enterprise" | "workload";

/** The key of a grant: everything that a grant depends on is a part of it. */
export function grantKey(
  { identity, account }: GrantOwner,
  { issuer, clientId, resource }: Binding,
  server: URL,
): string {
  // A token that names no resource is kept for the server that it was got for.
  return keyOf(
    "grant",
    ...identity,
    account,
    issuer,
    clientId,
    resource,
    resource === undefined ? server.href : undefined,
  );
}

/** The parts of a key, as one text that no other parts can make. */
export function keyOf(kind: "grant" | "server" | "registration", ...parts: readonly (string | undefined)[]): string {
  return `${kind} ${JSON.stringify(parts.map((part) => part ?? null))}`;
}

/** How often a value is written before it is given up. Nobody else writes a value more often in the same moment. */
const MAX_SWAPS = 100;

/** One value of a store, with the version that was read or written last. */
export class Slot<T extends object> {
  readonly key: string;
  readonly #store: AuthStore;
  readonly #texts: readonly (keyof T)[];
  #version: string | undefined;

  /** `texts` are the members that every value has. One without them was written by something else, and counts as none. */
  constructor(store: AuthStore, key: string, texts: readonly (keyof T)[]) {
    this.#store = store;
    this.key = key;
    this.#texts = texts;
  }

  async read(): Promise<T | undefined> {
    const stored = await this.#store.get(this.key);
    this.#version = stored?.version;
    const value = stored?.value as T | null | undefined;
    const isWhole = typeof value === "object" && this.#texts.every((name) => typeof value?.[name] === "string");
    return isWhole ? (value ?? undefined) : undefined;
  }

  /**
   * Writes a value, or deletes it. `mayReplace` decides about a value that somebody else has written since it was read; it
   * is `undefined` if there is none. Resolves to whether the value was written.
   */
  async write(next: T | undefined, mayReplace: (current: T | undefined) => boolean): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_SWAPS; attempt += 1) {
      if (await this.#store.swap(this.key, this.#version, next)) {
        await this.read();
        return true;
      }
      const current = await this.read();
      if (!mayReplace(current)) return false;
    }
    throw new AuthError(
      "TEMPORARY",
      `The store refused the same value ${MAX_SWAPS} times: others write it all the time.`,
    );
  }
}

/** The work for each key of a store, in this process. */
const turns = new WeakMap<AuthStore, Turns>();

/** Runs work while nobody else does for the same key: neither in this process nor, if the store can tell, in another. */
export function locked<T>(
  store: AuthStore,
  key: string,
  signal: AbortSignal | undefined,
  work: LockedWork<T>,
): Promise<T> {
  const own = turns.get(store) ?? new Turns();
  turns.set(store, own);
  return own.run(key, signal, () => (store.lock === undefined ? work() : store.lock(key, work, { signal })));
}
