import { createHash, randomBytes } from "node:crypto";

/** How long a code is good, in milliseconds. */
const MAX_AGE = 10 * 60_000;

/** So many codes at once. The oldest makes room for another. */
const MAX_CODES = 16;

/**
 * Codes that log somebody in to the page once, within ten minutes: they are in links, which stay in the history of terminals
 * and browsers. Only digests are kept.
 */
export class LoginCodes {
  readonly #now: () => number;
  /** When each code ends, by its digest. */
  readonly #codes = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  create(): string {
    for (const oldest of this.#codes.keys()) {
      if (this.#codes.size < MAX_CODES) break;
      this.#codes.delete(oldest);
    }
    const code = randomBytes(32).toString("base64url");
    this.#codes.set(digest(code), this.#now() + MAX_AGE);
    return code;
  }

  /** Whether a code is good. It is not good a second time. */
  take(code: string): boolean {
    const key = digest(code);
    const end = this.#codes.get(key);
    this.#codes.delete(key);
    return end !== undefined && this.#now() < end;
  }
}

function digest(code: string): string {
  return createHash("sha256").update(code).digest("base64");
}
