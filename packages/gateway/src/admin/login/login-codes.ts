import { createHash, randomBytes } from "node:crypto";
import type { PageLoginStore } from "../../storage/storage.ts";

/** How long a code is good, in milliseconds. */
const MAX_AGE = 10 * 60_000;

/** So many codes at once. The oldest makes room for another. */
const MAX_CODES = 16;

/**
 * Codes that log somebody in to the page once, within ten minutes: they are in links, which stay in the history of terminals
 * and browsers. Only digests are kept, by this process or by a store that several gateways share.
 */
export class LoginCodes {
  readonly #now: () => number;
  readonly #store: PageLoginStore | undefined;
  /** When each code ends, by its digest. */
  readonly #codes = new Map<string, number>();
  /** Codes on their way to the store, by their digests. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(now: () => number, store?: PageLoginStore) {
    this.#now = now;
    this.#store = store;
  }

  create(): string {
    const code = randomBytes(32).toString("base64url");
    if (this.#store === undefined) this.#keep(code);
    else this.#write(code, this.#store);
    return code;
  }

  /** Whether a code is good. It is not good a second time. */
  async take(code: string): Promise<boolean> {
    const key = digest(code);
    if (this.#store !== undefined) {
      await this.#writing.get(key);
      return this.#store.takeCode(code);
    }
    const end = this.#codes.get(key);
    this.#codes.delete(key);
    return end !== undefined && this.#now() < end;
  }

  #keep(code: string): void {
    for (const oldest of this.#codes.keys()) {
      if (this.#codes.size < MAX_CODES) break;
      this.#codes.delete(oldest);
    }
    this.#codes.set(digest(code), this.#now() + MAX_AGE);
  }

  /** Writes a code without a wait, so that its link is there at once. If the store refuses the code, the link logs nobody in. */
  #write(code: string, store: PageLoginStore): void {
    const key = digest(code);
    const written = store
      .addCode(code, this.#now() + MAX_AGE)
      .catch(() => undefined)
      .finally(() => this.#writing.delete(key));
    this.#writing.set(key, written);
  }
}

function digest(code: string): string {
  return createHash("sha256").update(code).digest("base64");
}
