/** Access tokens until they end: one request for many calls, and a pause after a failure. */

/** An access token and its lifetime in milliseconds. */
export interface AccessToken {
  readonly token: string;
  readonly lifetime: number;
}

/** A token, a request for one that is under way, or a failure. */
type Entry =
  | { readonly kind: "token"; readonly token: string; readonly renewAt: number }
  | { readonly kind: "pending"; readonly promise: Promise<string> }
  | { readonly kind: "failure"; readonly error: unknown; readonly until: number };

/** A token is renewed so many milliseconds before its end, or after 80 % of its life if that is later. */
const RENEW_BEFORE = 60_000;
const RENEW_PART = 0.2;
/** An endpoint that fails is left alone for so many milliseconds. */
const FAILURE_PAUSE = 5000;
/** The most tokens: callers may have clients of their own. */
const MAX_ENTRIES = 1000;

/** Tokens by a key that tells who they are for. */
export class TokenCache {
  /** The most recently used last. */
  readonly #entries = new Map<string, Entry>();

  /** The token for a key, or the promise of one that `obtain` fetches. Throws the last error during the pause after it. */
  get(key: string, obtain: () => Promise<AccessToken>): string | Promise<string> {
    const entry = this.#entries.get(key);
    const now = performance.now();
    if (entry?.kind === "token" && now < entry.renewAt) return entry.token;
    if (entry?.kind === "pending") return entry.promise;
    if (entry?.kind === "failure" && now < entry.until) throw entry.error;
    return this.#obtain(key, obtain);
  }

  /** Forgets a token that was refused. Returns whether there may be another one: it may have been replaced already. */
  drop(key: string, token: string): boolean {
    const entry = this.#entries.get(key);
    if (entry?.kind === "token" && entry.token === token) this.#entries.delete(key);
    return entry?.kind !== "failure";
  }

  #obtain(key: string, obtain: () => Promise<AccessToken>): Promise<string> {
    const promise = obtain().then(
      ({ token, lifetime }) => {
        const renewAt = performance.now() + lifetime - Math.min(RENEW_BEFORE, lifetime * RENEW_PART);
        this.#set(key, { kind: "token", token, renewAt });
        return token;
      },
      (error: unknown) => {
        this.#set(key, { kind: "failure", error, until: performance.now() + FAILURE_PAUSE });
        throw error;
      },
    );
    this.#set(key, { kind: "pending", promise });
    return promise;
  }

  #set(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= MAX_ENTRIES) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
