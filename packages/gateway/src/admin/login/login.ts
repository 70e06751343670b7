import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RateLimitStore } from "@toolwire/server/cluster";
import type { PageLoginStore } from "../../storage/storage.ts";
import { AdminError } from "../http/admin-error.ts";
import type { Guard } from "../http/guard.ts";
import { allowMembers, readJsonBody, readText } from "../http/request.ts";
import { writeReply } from "../http/reply.ts";
import type { SessionView } from "../views.ts";
import { LoginAttempts } from "./attempts.ts";
import type { LoginCodes } from "./login-codes.ts";
import { portOf, readCookie } from "./person-login.ts";
import { Sessions, type WayIn } from "./sessions.ts";

/** The name of whoever has the admin token. */
const ADMIN = "admin";

/** The caller of the admin API. */
export interface Caller {
  /** Whether the caller is still allowed in: sessions end. */
  readonly isStillAllowed: () => Promise<boolean>;
  /** The person, for the audit log; `admin` for whoever has the admin token. */
  readonly name: string;
  /** When the session ends, if the caller has one. */
  readonly expiresAt?: number | undefined;
}

/** Makes an admin token: 32 random bytes, so that nobody can guess it. */
export function createAdminToken(): string {
  return `twa_${randomBytes(32).toString("base64url")}`;
}

/** Lets callers in who have the admin token, or a cookie that they got for it. */
export class Login {
  readonly #sessions: Sessions;
  readonly #attempts: LoginAttempts;
  readonly #guard: Guard;
  readonly #codes: LoginCodes;
  readonly #personLogin: { readonly name: string } | undefined;

  constructor(options: {
    readonly token: string;
    readonly guard: Guard;
    /** The codes of links that log somebody in. */
    readonly codes: LoginCodes;
    readonly now: () => number;
    /** Where logins are kept that several gateways share. Default: in memory. */
    readonly store?: PageLoginStore | undefined;
    /** Counts wrong tokens at all gateways of a cluster. */
    readonly limits?: RateLimitStore | undefined;
    /** The login at an identity provider, if there is one: the page shows a button with its name. */
    readonly personLogin?: { readonly name: string; readonly rules: unknown } | undefined;
  }) {
    this.#personLogin = options.personLogin;
    this.#sessions = new Sessions(options.token, options.now, options.store, options.personLogin?.rules);
    this.#attempts = new LoginAttempts(options.now, options.limits);
    this.#guard = options.guard;
    this.#codes = options.codes;
  }

  /**
   * Finds out who makes a request; `undefined` if it has no credentials.
   *
   * @throws AdminError if it has wrong ones
   */
  async identify(http: IncomingMessage): Promise<Caller | undefined> {
    const header = http.headers.authorization;
    if (header !== undefined) {
      const match = /^Bearer +([^\s]{1,512})$/i.exec(header);
      await this.#checkToken(http, match?.[1] ?? "");
      return { name: ADMIN, isStillAllowed: async () => true };
    }
    const id = readSession(http);
    if (id === undefined) return undefined;
    const session = await this.#sessions.find(id);
    if (session === undefined) return undefined;
    this.#guard.checkCookieRequest(http);
    return { ...session, isStillAllowed: async () => (await this.#sessions.find(id)) !== undefined };
  }

  /** Serves `/api/v1/session`: who am I, log in, log out. */
  async serve(http: IncomingMessage, response: ServerResponse): Promise<void> {
    if (http.method === "GET" || http.method === "HEAD") {
      const caller = await this.identify(http);
      const login = this.#personLogin && { name: this.#personLogin.name };
      const view: SessionView = { isLoggedIn: caller !== undefined, expiresAt: caller?.expiresAt, login };
      writeReply(http, response, { json: view });
      return;
    }
    if (http.method === "POST") {
      const body = await readJsonBody(http, 4096);
      allowMembers(body, ["token", "code"]);
      if ("code" in body) await this.#checkCode(http, readText(body, "code", 128));
      else await this.#checkToken(http, readText(body, "token", 512));
      // The page says in `Origin` whether it was loaded by TLS, though a proxy may have ended that.
      await this.openSession(http, response, ADMIN, "token", http.headers.origin?.startsWith("https:") === true);
      writeReply(http, response, "empty");
      return;
    }
    if (http.method === "DELETE") {
      const id = readSession(http);
      if (id !== undefined) {
        this.#guard.checkCookieRequest(http);
        await this.#sessions.close(id);
      }
      response.setHeader("set-cookie", writeCookie(http, "", 0, http.headers.origin?.startsWith("https:") === true));
      writeReply(http, response, "empty");
      return;
    }
    throw new AdminError(405, "method_not_allowed", "Here, only GET, POST, DELETE can be used.", {
      allow: "GET, POST, DELETE",
    });
  }

  /** Opens a session, under a new id, and gives its cookie to the browser. */
  async openSession(
    http: IncomingMessage,
    response: ServerResponse,
    name: string,
    way: WayIn,
    isSecure: boolean,
  ): Promise<void> {
    const { id, maxAge } = await this.#sessions.open(name, way);
    response.appendHeader("set-cookie", writeCookie(http, id, maxAge / 1000, isSecure));
  }

  async #checkCode(http: IncomingMessage, code: string): Promise<void> {
    this.#refuseHaste(http);
    if (await this.#codes.take(code)) return;
    await this.#attempts.fail(http.socket.remoteAddress ?? "");
    throw new AdminError(
      401,
      "wrong_code",
      "This link logs in once, within ten minutes of its making. Log in with the admin token, or with a new link.",
      { "www-authenticate": "Bearer" },
    );
  }

  async #checkToken(http: IncomingMessage, token: string): Promise<void> {
    this.#refuseHaste(http);
    if (this.#sessions.isToken(token)) return;
    await this.#attempts.fail(http.socket.remoteAddress ?? "");
    throw new AdminError(
      401,
      "wrong_token",
      "This is not the admin token: that is admin.token of the configuration, or GATEWAY_ADMIN_TOKEN of the gateway.",
      { "www-authenticate": "Bearer" },
    );
  }

  /** Throws if an address has tried too often. */
  #refuseHaste(http: IncomingMessage): void {
    const address = http.socket.remoteAddress ?? "";
    const wait = this.#attempts.waitOf(address);
    if (wait > 0) {
      const seconds = Math.ceil(wait / 1000);
      throw new AdminError(429, "too_many_attempts", `Too many wrong tokens. Try again in ${seconds} s.`, {
        "retry-after": String(seconds),
      });
    }
  }
}

/** Cookies ignore ports. The name has the port, so that two gateways on one machine do not log each other's users out. */
function cookieName(http: IncomingMessage): string {
  return `toolwire_admin_${portOf(http)}`;
}

function readSession(http: IncomingMessage): string | undefined {
  const value = readCookie(http, cookieName(http));
  return value === "" || value.length > 128 ? undefined : value;
}

function writeCookie(http: IncomingMessage, value: string, maxAge: number, isSecure: boolean): string {
  const parts = [`${cookieName(http)}=${value}`, "Path=/api/", `Max-Age=${maxAge}`, "HttpOnly", "SameSite=Strict"];
  return [...parts, ...(isSecure ? ["Secure"] : [])].join("; ");
}
