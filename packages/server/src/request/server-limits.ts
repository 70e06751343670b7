import { ClusterError } from "../cluster/cluster.ts";
import type { RateLimitStore } from "../cluster/stores.ts";
import { toBase64Url } from "../content/binary.ts";

/** How long a request waits for the engine. */
const DEADLINE_MS = 50;

/**
 * The counters of one server in those of its cluster. Keys are hashed: they contain callers, and possibly what identifies them, which
 * nobody needs to read in the engine. An engine that has not counted in time has failed.
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
    return withinDeadline(this.#limits.take(toBase64Url(new Uint8Array(digest)), bucket));
  }
}

async function withinDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const fail = (): void => reject(new ClusterError("TIMEOUT", "The engine has not counted in time."));
    // If this process was busy, the answer may be there, and is read before the second timer fires.
    timer = setTimeout(() => (timer = setTimeout(fail, 0)), DEADLINE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
