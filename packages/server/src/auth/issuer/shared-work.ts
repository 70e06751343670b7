/**
 * Whether one request may wait for work that another one has begun. In workers of Cloudflare it may not: input and output belong to
 * the request that began them, and are cancelled with it.
 */
export function mayShareWork(): boolean {
  return globalThis.navigator?.userAgent !== "Cloudflare-Workers" && !("WebSocketPair" in globalThis);
}

/** Work that is under way, by key: whoever wants the same meanwhile waits for the same promise. */
export class SharedWork<T> {
  readonly #running = new Map<string, Promise<T>>();
  readonly #isShared = mayShareWork();

  /** The work of this key that has begun, if requests may wait for it. */
  running(key: string): Promise<T> | undefined {
    return this.#isShared ? this.#running.get(key) : undefined;
  }

  /** Joins the work of this key, or begins it. */
  run(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.running(key);
    if (running !== undefined) return running;
    const promise = work().finally(() => {
      if (this.#running.get(key) === promise) this.#running.delete(key);
    });
    this.#running.set(key, promise);
    return promise;
  }
}
