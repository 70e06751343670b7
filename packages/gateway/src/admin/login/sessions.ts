import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** How long a login lasts, whatever happens. */
const MAX_AGE = 12 * 60 * 60_000;

/** How long a login lasts if nobody uses it. */
const MAX_IDLE = 2 * 60 * 60_000;

/** So many logins at once. The one that was unused for longest makes room for another. */
const MAX_SESSIONS = 64;

interface Session {
  readonly name: string;
  readonly expiresAt: number;
  usedAt: number;
}

/** A login of the page: the text of its cookie, and when it ends. */
export interface NewSession {
  readonly id: string;
  readonly maxAge: number;
}

/** The admin token and the logins that it has opened. Only digests are kept. */
export class Sessions {
  readonly #token: Buffer;
  readonly #now: () => number;
  /** By the digest of the id, least recently used first. */
  readonly #sessions = new Map<string, Session>();

  constructor(token: string, now: () => number) {
    this.#token = sha256(token);
    this.#now = now;
  }

  /** Compares digests, so that neither the length nor the first wrong character shows in the time it takes. */
  isToken(text: string): boolean {
    return timingSafeEqual(sha256(text), this.#token);
  }

  /** Opens a session for somebody. */
  open(name: string): NewSession {
    if (this.#sessions.size >= MAX_SESSIONS) {
      for (const oldest of this.#sessions.keys()) {
        this.#sessions.delete(oldest);
        break;
      }
    }
    const id = randomBytes(32).toString("base64url");
    const now = this.#now();
    this.#sessions.set(sha256(id).toString("base64"), { name, expiresAt: now + MAX_AGE, usedAt: now });
    return { id, maxAge: MAX_AGE };
  }

  /** The owner of a session, and when it ends; `undefined` if there is none of that id. Counts as use. */
  find(id: string): { readonly name: string; readonly expiresAt: number } | undefined {
    const key = sha256(id).toString("base64");
    const session = this.#sessions.get(key);
    if (session === undefined) return undefined;
    const now = this.#now();
    this.#sessions.delete(key);
    if (now >= session.expiresAt || now >= session.usedAt + MAX_IDLE) return undefined;
    session.usedAt = now;
    this.#sessions.set(key, session);
    return { name: session.name, expiresAt: session.expiresAt };
  }

  close(id: string): void {
    this.#sessions.delete(sha256(id).toString("base64"));
  }
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
