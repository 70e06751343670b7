import { randomBytes, timingSafeEqual } from "node:crypto";
import { AuthError } from "@toolwire/protocol";
import { type Login, oauth, type TokenAuth } from "@toolwire/client/auth";
import { digestOf } from "../secrets/secret.ts";
import { watchStore } from "../secrets/watch-store.ts";
import type { GrantOwner, Storage } from "../storage/storage.ts";
import type { LoginTarget } from "./login-target.ts";

/** How long a link, and a login that was begun, are of use, in milliseconds. */
const LINK_AGE = 10 * 60_000;
const LOGIN_AGE = 10 * 60_000;

/** A link at which one person may begin one login. */
export interface LoginLink extends GrantOwner {
  /** The scopes to ask for, if a call has found out that others are needed. */
  readonly scopes: readonly string[] | undefined;
}

/** A login that was begun, and waits for the authorization server to send the person back. */
interface BegunLogin extends GrantOwner {
  /** Everything that the client needs to finish it. */
  readonly record: string;
  /** The digest of the cookie of the browser that has begun it. */
  readonly browser: string;
}

/** The parts of a gateway that logins need. */
export interface LoginsOptions {
  readonly storage: Pick<Storage, "grants" | "pendingLogins" | "audit" | "redactor">;
  /** The origin by which browsers reach the gateway. */
  readonly publicUrl: string;
  find(server: string, upstream: string): LoginTarget | undefined;
  readonly now?: (() => number) | undefined;
}

/**
 * Logins of people at upstreams, by the authorization code flow. A link belongs to one principal and is used once. The browser
 * that ends a login must be the one that has begun it, so that nobody can connect an account to the principal of somebody else.
 * Nothing is kept in memory: of several gateways, one may make the link, another begin the login, and a third one end it.
 */
export class Logins {
  readonly #options: LoginsOptions;
  readonly #now: () => number;

  constructor(options: LoginsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The origin by which browsers reach the gateway. */
  get origin(): string {
    return this.#options.publicUrl;
  }

  /** Makes a link. */
  async createLink(link: LoginLink): Promise<string> {
    const ticket = randomBytes(32).toString("base64url");
    const { server, upstream } = link;
    const expiresAt = this.#now() + LINK_AGE;
    await this.#options.storage.pendingLogins.put(`link ${ticket}`, link, JSON.stringify(link), expiresAt);
    return `${this.origin}/connect/${encodeURIComponent(server)}/${encodeURIComponent(upstream)}?ticket=${ticket}`;
  }

  /** The link of a ticket, which can still be used after this; `undefined` if it was used, has expired, or is for another upstream. */
  async readLink(ticket: string, server: string, upstream: string): Promise<LoginLink | undefined> {
    const text = await this.#options.storage.pendingLogins.read(`link ${ticket}`);
    return readLink(text, server, upstream);
  }

  /** Begins the login of a link. Resolves to the page of the authorization server; `undefined` if the link is of no use. */
  async begin(ticket: string, server: string, upstream: string, browser: string): Promise<URL | undefined> {
    const { storage } = this.#options;
    const link = readLink(await storage.pendingLogins.take(`link ${ticket}`), server, upstream);
    const target = this.#options.find(server, upstream);
    if (link === undefined || target === undefined) return undefined;
    const begun: { url?: URL; state?: string; record?: string } = {};
    const login: Login = {
      leavesPage: true,
      start: () => ({
        redirectUri: `${this.origin}/connect/callback`,
        async authorize(url, { state, record }) {
          Object.assign(begun, { url, state, record: record() });
          throw new AuthError("LOGIN_CANCELLED", "The login goes on in a browser.");
        },
      }),
    };
    try {
      await this.#authOf(target, link, login, link.scopes).then((auth) => auth.login(target.url, httpOf(target)));
    } catch (error) {
      if (begun.url === undefined) throw error;
    }
    if (begun.url === undefined || begun.record === undefined) throw new TypeError("The login did not begin.");
    const { principal } = link;
    const value: BegunLogin = { server, upstream, principal, record: begun.record, browser: digestOf(browser) };
    const expiresAt = this.#now() + LOGIN_AGE;
    await storage.pendingLogins.put(`login ${begun.state}`, link, JSON.stringify(value), expiresAt);
    return begun.url;
  }

  /**
   * Ends the login that the response of an authorization server belongs to. `unknown` if there is none, or no longer; `foreign` if
   * another browser has begun it, which can still end it then.
   *
   * @throws AuthError if the response is not what was expected, or the code is refused
   */
  async finish(response: URLSearchParams, browser: string | undefined): Promise<"done" | "unknown" | "foreign"> {
    const { storage } = this.#options;
    const states = response.getAll("state");
    const id = `login ${states.length === 1 ? states[0] : ""}`;
    const text = await storage.pendingLogins.read(id);
    if (text === undefined) return "unknown";
    const begun = JSON.parse(text) as BegunLogin;
    if (browser === undefined || !isEqual(digestOf(browser), begun.browser)) return "foreign";
    if ((await storage.pendingLogins.take(id)) === undefined) return "unknown";
    const { server, upstream, principal, record } = begun;
    const target = this.#options.find(server, upstream);
    if (target === undefined) return "unknown";
    const login: Login = {
      leavesPage: true,
      start: () => Promise.reject(new AuthError("LOGIN_FAILED", "The login is over.")),
      returned: () => ({ record, response }),
    };
    const auth = await this.#authOf(target, begun, login);
    await auth.login(target.url, httpOf(target));
    const subject = `${server}/${upstream}`;
    await storage.audit.add({ actor: principal ?? "admin", action: "upstream.login", subject });
    return "done";
  }

  /** Forgets the tokens of an owner, and revokes them where the authorization server can. Returns whether there were any. */
  async disconnect(owner: GrantOwner): Promise<boolean> {
    const { grants } = this.#options.storage;
    const target = this.#options.find(owner.server, owner.upstream);
    const isKnown = (await grants.list(owner)).length > 0;
    if (isKnown && target !== undefined) {
      const auth = await this.#authOf(target, owner, undefined);
      // If the authorization server is away, they are forgotten here all the same.
      await auth.logout(target.url, httpOf(target)).catch(() => undefined);
    }
    return (await grants.remove(owner)) || isKnown;
  }

  async #authOf(
    target: LoginTarget,
    { server, upstream, principal }: GrantOwner,
    login: Login | undefined,
    scopes?: readonly string[],
  ): Promise<TokenAuth> {
    const options = await target.options();
    const { grants, redactor } = this.#options.storage;
    const store = watchStore(grants.open({ server, upstream, principal }), (secret) => redactor.note(secret));
    return oauth({ ...options, store, login, account: principal, ...(scopes !== undefined && { scopes }) });
  }
}

function httpOf({ connect }: LoginTarget): {
  readonly http: { readonly connect?: NonNullable<LoginTarget["connect"]> };
} {
  return { http: connect === undefined ? {} : { connect } };
}

function readLink(text: string | undefined, server: string, upstream: string): LoginLink | undefined {
  const link = text === undefined ? undefined : (JSON.parse(text) as LoginLink);
  return link?.server === server && link.upstream === upstream ? link : undefined;
}

/** Compares digests in a time that does not depend on where they differ. */
export function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
