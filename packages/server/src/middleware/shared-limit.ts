import { UsageError } from "@toolwire/protocol";
import type { RateLimitStore } from "../cluster/stores.ts";

/** How long the engine is not asked after it has failed, so that requests do not wait for it one by one. */
const PAUSE_MS = 1000;

/** The limits that have counted with a store, by their names. */
const named = new WeakMap<RateLimitStore, Map<string, SharedLimit>>();

/** A limit that counts the requests of callers over all nodes of a cluster. */
export class SharedLimit {
  readonly #name: string;
  readonly #bucket: { readonly limit: number; readonly window: number };
  #pausedUntil = -Infinity;

  constructor(name: string, limit: number, window: number) {
    this.#name = name;
    this.#bucket = { limit, window };
  }

  /**
   * Takes a token for a request. Resolves with 0, or with the milliseconds until there is one; with `undefined` if the engine does not
   * say it in time.
   *
   * @throws UsageError if another limit of the server has the same name: both would count together
   */
  async take(store: RateLimitStore, caller: string, tool: string): Promise<number | undefined> {
    this.#claimName(store);
    if (performance.now() < this.#pausedUntil) return undefined;
    try {
      const waitMs: unknown = await store.take(JSON.stringify([this.#name, tool, caller]), this.#bucket);
      if (typeof waitMs === "number" && waitMs >= 0) return waitMs;
    } catch {
      // The bus of the cluster tells the operator.
    }
    this.#pausedUntil = performance.now() + PAUSE_MS;
    return undefined;
  }

  #claimName(store: RateLimitStore): void {
    let limits = named.get(store);
    if (limits === undefined) named.set(store, (limits = new Map<string, SharedLimit>()));
    const other = limits.get(this.#name);
    if (other === undefined) limits.set(this.#name, this);
    else if (other !== this) {
      throw new UsageError(
        "INVALID_ARGUMENT",
        "Two rate limits of this server have the same name, and would count together in the cluster: " +
          'give each a `name`, as in rateLimit({ limit: 10, name: "search" }).',
      );
    }
  }
}
