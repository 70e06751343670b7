import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AdminLoginConfig } from "../../config/config.ts";
import type { GuardedFetch } from "../../servers/guarded-fetch.ts";
import type { PageLoginStore } from "../../storage/storage.ts";
import { AdminError } from "../http/admin-error.ts";
import { isRead } from "../http/guard.ts";
import { nameOfAllowed } from "./allowed-people.ts";
import { IdentityProvider } from "./identity-provider.ts";
import { LoginCookies } from "./login-cookie.ts";

/** How long a login may take, in milliseconds. */
const MAX_AGE = 10 * 60_000;

/** So many logins that have ended are remembered, so that no response is used twice. Older ones have expired, or are used up at the provider. */
const MAX_ENDED = 1000;

/** The reasons for which a login fails, as the page is told: nothing of what others wrote is repeated. */
type LoginFailure = "expired" | "failed" | "not_allowed" | "unavailable";

/** How people log in to the page. */
export interface PersonLoginOptions extends Omit<AdminLoginConfig, "client"> {
  readonly client: { readonly id: string; readonly secret?: string | undefined };
  /** The origin by which browsers reach the page. */
  readonly origin: () => string;
  /** Sends requests to the identity provider, to allowed addresses only. */
  readonly fetch: GuardedFetch;
  readonly now: () => number;
  /** Opens a session of the page for a person. */
  openSession(
    http: IncomingMessage,
    response: ServerResponse,
    name: string,
    way: "person",
    isSecure: boolean,
  ): Promise<void>;
  /** Where logins are kept that several gateways share. Default: in memory. */
  readonly store?: PageLoginStore | undefined;
  /** Hears why a login has failed, for the operator. */
  onFailure(message: string): void;
}

/**
 * Logs people in to the page at an identity provider (OpenID Connect, authorization code flow with PKCE): `/login/start` leads
 * there, and `/login/callback` is where they come back to.
 */
export class PersonLogin {
  /** The name on the button. */
  readonly name: string;
  readonly #options: PersonLoginOptions;
  readonly #cookies: LoginCookies;
  readonly #ended = new Set<string>();
  #provider: IdentityProvider | undefined;

  constructor(options: PersonLoginOptions) {
    this.#options = options;
    this.#cookies = new LoginCookies(options.store?.cookies);
    this.name = options.name ?? new URL(options.issuer).host;
  }

  /** The settings that a login depends on: the issuer, the client and the people. A session ends if they change. */
  get rules(): unknown {
    const { issuer, client, allow } = this.#options;
    return [issuer, client.id, allow];
  }

  /** Whether a path is one of the two. */
  serves(path: string): boolean {
    return path === "/login/start" || path === "/login/callback";
  }

  async serve(http: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): Promise<void> {
    if (!isRead(http)) {
      throw new AdminError(405, "method_not_allowed", "Here, only GET can be used.", { allow: "GET" });
    }
    response.setHeader("cache-control", "no-store");
    if (path === "/login/start") return this.#start(http, response, query);
    return this.#end(http, response, query);
  }

  async #start(http: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> {
    const random = (): string => randomBytes(32).toString("base64url");
    const next = readPath(query.get("next"), this.#options.origin());
    const login = { state: random(), nonce: random(), verifier: random(), next, at: this.#options.now() };
    let url: URL;
    try {
      url = await this.#findProvider().loginUrl(login);
    } catch (error) {
      this.#fail(http, response, "unavailable", error);
      return;
    }
    response.setHeader("set-cookie", this.#writeCookie(http, this.#cookies.seal(login), MAX_AGE / 1000));
    response.writeHead(303, { location: url.href }).end();
  }

  async #end(http: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> {
    const { now, allow } = this.#options;
    const login = this.#cookies.open(readCookie(http, cookieName(http)));
    const isLate = login === undefined || now() - login.at > MAX_AGE || this.#ended.has(login.state);
    if (isLate) {
      this.#fail(http, response, "expired");
      return;
    }
    // A response to another login must not end this one.
    if (query.getAll("state").length !== 1 || query.get("state") !== login.state) {
      this.#fail(http, response, "failed", new Error("the response has another `state`"), false);
      return;
    }
    if (!(await this.#claim(login.state))) {
      this.#fail(http, response, "expired");
      return;
    }
    let name: string | undefined;
    try {
      const claims = await this.#findProvider().identify(query, login);
      name = nameOfAllowed(claims, allow);
      if (name === undefined) {
        const who = JSON.stringify(claims.sub.slice(0, 100));
        this.#fail(http, response, "not_allowed", new Error(`the subject ${who} is not in admin.login.allow`));
        return;
      }
    } catch (error) {
      this.#fail(http, response, "failed", error);
      return;
    }
    response.setHeader("set-cookie", this.#writeCookie(http, "", 0));
    await this.#options.openSession(http, response, name, "person", this.#isSecure);
    response.writeHead(303, { location: login.next }).end();
  }

  get #isSecure(): boolean {
    return this.#options.origin().startsWith("https:");
  }

  #findProvider(): IdentityProvider {
    const { issuer, client, fetch, now, allow, origin } = this.#options;
    const scopes = this.#options.scopes ?? (allow.emails === undefined ? [] : ["email"]);
    // The port of the listener is known once it listens.
    const redirectUri = `${origin()}/login/callback`;
    return (this.#provider ??= new IdentityProvider({ issuer, client, scopes, redirectUri, fetch, now }));
  }

  /** Remembers that a login has ended, whatever came of it. Returns whether it had not ended before, here or at another gateway. */
  async #claim(state: string): Promise<boolean> {
    this.#ended.add(state);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= MAX_ENDED) break;
      this.#ended.delete(oldest);
    }
    const { store, now } = this.#options;
    return (await store?.claim(state, now() + MAX_AGE)) ?? true;
  }

  /** Shows the login of the page again, with a text of its own. The operator is told the reason. */
  #fail(
    http: IncomingMessage,
    response: ServerResponse,
    failure: LoginFailure,
    reason?: unknown,
    endsLogin = true,
  ): void {
    if (reason !== undefined) {
      const text = reason instanceof Error ? reason.message : "unknown reason";
      this.#options.onFailure(`A login to the page at ${this.name} failed: ${text.slice(0, 300)}.`);
    }
    if (endsLogin) response.setHeader("set-cookie", this.#writeCookie(http, "", 0));
    response.writeHead(303, { location: `/?login=${failure}` }).end();
  }

  #writeCookie(http: IncomingMessage, value: string, maxAge: number): string {
    // `Lax`, because the identity provider sends the browser back here.
    const parts = [`${cookieName(http)}=${value}`, "Path=/login/", `Max-Age=${maxAge}`, "HttpOnly", "SameSite=Lax"];
    return [...parts, ...(this.#isSecure ? ["Secure"] : [])].join("; ");
  }
}

/** A path of the page. An address that leads elsewhere, in whatever spelling, becomes the first view. */
function readPath(text: string | null, origin: string): string {
  if (text === null || text.length > 2000 || !URL.canParse(text, origin)) return "/";
  const url = new URL(text, origin);
  const path = `${url.pathname}${url.search}`;
  return url.origin === origin && !path.startsWith("//") ? path : "/";
}

function cookieName(http: IncomingMessage): string {
  return `toolwire_login_${portOf(http)}`;
}

/** The port that the browser names: gateways behind one load balancer may listen on different ones. */
export function portOf({ headers }: IncomingMessage): string {
  return /:(\d{1,5})$/.exec(headers.host ?? "")?.[1] ?? "0";
}

/** The value of a cookie; empty if there is none. */
export function readCookie(http: IncomingMessage, name: string): string {
  const found = (http.headers.cookie ?? "").split(/; */).find((each) => each.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? "";
}
