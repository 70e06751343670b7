import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { PageLogin, PageLoginStore } from "../../storage/storage.ts";

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

/** How somebody gets in: by the admin token or a link, or by a login of people. */
export type WayIn = "token" | "person";

/** A login of the page: the text of its cookie, and when it ends. */
export interface NewSession {
  readonly id: string;
  readonly maxAge: number;
}

/**
 * The admin token and the logins that it has opened. Only digests are kept, by this process or by a store that several gateways share.
 * There, a session is good at gateways with the same way in: the same admin token, or the same login of people.
 */
export class Sessions {
  readonly #token: Buffer;
  readonly #now: () => number;
  readonly #store: PageLoginStore | undefined;
  readonly #ways: { readonly [Way in WayIn]: string };
  /** By the digest of the id, least recently used first. */
  readonly #sessions = new Map<string, Session>();

  /** `people` says how people log in, and who may. */
  constructor(token: string, now: () => number, store?: PageLoginStore, people?: unknown) {
    this.#token = sha256(token);
    this.#now = now;
    this.#store = store;
    this.#ways = { token: this.#token.toString("base64"), person: JSON.stringify(people) ?? "" };
  }

  /** Compares digests, so that neither the length nor the first wrong character shows in the time it takes. */
  isToken(text: string): boolean {
    return timingSafeEqual(sha256(text), this.#token);
  }

  /** Opens a session for somebody. */
  async open(name: string, way: WayIn): Promise<NewSession> {
    const random = randomBytes(32).toString("base64url");
    const id = this.#store === undefined ? random : `${way}.${random}`;
    const now = this.#now();
    const expiresAt = now + MAX_AGE;
    await this.#store?.openSession(this.#placeOf(id), { name, expiresAt }, now + MAX_IDLE);
    if (this.#store === undefined) this.#keep(id, { name, expiresAt, usedAt: now });
    return { id, maxAge: MAX_AGE };
  }

  /** The owner of a session, and when it ends; `undefined` if there is none of that id. Counts as use. */
  async find(id: string): Promise<PageLogin | undefined> {
    if (this.#store !== undefined) return this.#store.useSession(this.#placeOf(id), this.#now() + MAX_IDLE);
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

  async close(id: string): Promise<void> {
    await this.#store?.closeSession(this.#placeOf(id));
    this.#sessions.delete(sha256(id).toString("base64"));
  }

  #keep(id: string, session: Session): void {
    if (this.#sessions.size >= MAX_SESSIONS) {
      for (const oldest of this.#sessions.keys()) {
        this.#sessions.delete(oldest);
        break;
      }
    }
    this.#sessions.set(sha256(id).toString("base64"), session);
  }

  /** The id under which a store has a session. A token that was changed, or people who may not log in any more, end their sessions. */
  #placeOf(id: string): string {
    return JSON.stringify([id.startsWith("person.") ? this.#ways.person : this.#ways.token, id]);
  }
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
