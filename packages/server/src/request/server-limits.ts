import type { RateLimitStore } from "../cluster/stores.ts";
import { toBase64Url } from "../content/binary.ts";

/**
 * The counters of one server in those of its cluster. Keys are hashed: they contain callers, and possibly what identifies them, which
 * nobody needs to read in the engine.
 */
export class ServerLimits implements RateLimitStore {
  readonly #limits: RateLimitStore;
  readonly #server: string;

  constructor(limits: RateLimitStore, server: string) {
    this.#limits = limits;
    this.#server = server;
  }

  async take(key: string, bucket: { readonly limit: number; readonly window: number }): Promise<number> {
    const text = JSON.stringify([this.#server, key]);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return this.#limits.take(toBase64Url(new Uint8Array(digest)), bucket);
  }
}
