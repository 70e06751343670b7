import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { AuthError } from "@toolwire/protocol";
import { CONNECT_POLICY, messagePage, questionPage } from "./connect-pages.ts";
import type { LoginTarget } from "./login-target.ts";
import { isEqual, type Logins } from "./logins.ts";

/** The largest form. */
const MAX_FORM = 4096;

/** How long a browser is remembered, in seconds: as long as a link and a login take together. */
const COOKIE_AGE = 20 * 60;

/** The parts of a gateway that the pages need. */
export interface ConnectHandlerOptions {
  readonly logins: Logins;
  find(server: string, upstream: string): LoginTarget | undefined;
  /** Hears of failures that are not the fault of the person. */
  onError(error: unknown): void;
}

/** Serves the pages below `/connect/`, on which people log in at upstreams. */
export type ConnectHandler = (http: IncomingMessage, response: ServerResponse) => void;

/** Makes the handler of the pages. */
export function createConnectHandler(options: ConnectHandlerOptions): ConnectHandler {
  const pages = new ConnectPages(options);
  return (http, response) => {
    pages.serve(http, response).catch((error: unknown) => {
      http.resume();
      if (error instanceof Refused) return write(response, error.status, error.title, error.message);
      if (error instanceof AuthError) return write(response, 400, "Not connected", error.message);
      options.onError(error);
      return write(response, 500, "Not connected", "Something failed inside the gateway. Its log has the reason.");
    });
  };
}

/** A request that is answered with a page that says why. */
class Refused extends Error {
  readonly status: number;
  readonly title: string;

  constructor(status: number, title: string, message: string) {
    super(message);
    this.status = status;
    this.title = title;
  }
}

class ConnectPages {
  readonly #options: ConnectHandlerOptions;
  readonly #origin: URL;
  readonly #cookie: string;

  constructor(options: ConnectHandlerOptions) {
    this.#options = options;
    this.#origin = new URL(options.logins.origin);
    // No other host, not even one below the same domain, can set a cookie with this prefix. It needs TLS.
    this.#cookie = this.#isSecure ? "__Host-toolwire_connect" : `toolwire_connect_${this.#origin.port}`;
  }

  get #isSecure(): boolean {
    return this.#origin.protocol === "https:";
  }

  async serve(http: IncomingMessage, response: ServerResponse): Promise<void> {
    setSafeHeaders(response);
    // A name that somebody has pointed at this machine (DNS rebinding) is not that of the gateway.
    if (http.headers.host?.toLowerCase() !== this.#origin.host) {
      throw new Refused(421, "Wrong address", `This page is at ${this.#origin.origin}.`);
    }
    const { pathname, searchParams } = new URL(http.url ?? "/", this.#origin);
    const isRead = http.method === "GET" || http.method === "HEAD";
    if (pathname === "/connect/callback" && isRead) return this.#end(http, response, searchParams);
    if (pathname === "/connect/done" && isRead) {
      write(response, 200, "Connected", "Your account is connected. You can close this page and go on in your client.");
      return;
    }
    const [server, upstream] = readPlace(pathname);
    if (http.method === "POST") return this.#begin(http, response, server, upstream);
    if (isRead) return this.#ask(http, response, server, upstream, searchParams.get("ticket") ?? "");
    response.setHeader("allow", "GET, POST");
    throw new Refused(405, "Not possible", "This page can be read, and its form sent.");
  }

  /** Shows who is about to connect what. The link can still be used after this: programs look at links, too. */
  async #ask(
    http: IncomingMessage,
    response: ServerResponse,
    server: string,
    upstream: string,
    ticket: string,
  ): Promise<void> {
    const { logins } = this.#options;
    const link = await logins.readLink(ticket, server, upstream);
    const target = this.#options.find(server, upstream);
    if (link === undefined || target === undefined) throw uselessLink();
    const browser = this.#browserOf(http) ?? randomBytes(32).toString("base64url");
    response.setHeader("set-cookie", this.#writeCookie(browser));
    const { principal } = link;
    const { host } = new URL(target.url);
    const html = questionPage({ server, upstream, host, principal, ticket, csrf: csrfOf(browser, ticket) });
    writeHtml(response, 200, html);
  }

  /** Begins the login, if the form was sent by the page above in the same browser. */
  async #begin(http: IncomingMessage, response: ServerResponse, server: string, upstream: string): Promise<void> {
    const { origin, "sec-fetch-site": site } = http.headers;
    const isForeign = origin !== this.#origin.origin || (site !== undefined && site !== "same-origin");
    const browser = this.#browserOf(http);
    const form = await readForm(http);
    const ticket = form.get("ticket") ?? "";
    if (isForeign || browser === undefined || !isEqual(form.get("csrf") ?? "", csrfOf(browser, ticket))) {
      throw new Refused(
        403,
        "Not connected",
        "This form was not sent by the page of the gateway. Open the link again.",
      );
    }
    const url = await this.#options.logins.begin(ticket, server, upstream, browser);
    if (url === undefined) throw uselessLink();
    response.writeHead(303, { location: url.href }).end();
  }

  async #end(http: IncomingMessage, response: ServerResponse, parameters: URLSearchParams): Promise<void> {
    const outcome = await this.#options.logins.finish(parameters, this.#browserOf(http));
    if (outcome === "unknown") throw uselessLink();
    if (outcome === "foreign") {
      const message = "This login was begun in another browser. Finish it there, or ask your client for a new link.";
      throw new Refused(403, "Not connected", message);
    }
    // The code leaves the address bar and the history.
    response.writeHead(303, { location: `${this.#origin.origin}/connect/done` }).end();
  }

  #browserOf({ headers }: IncomingMessage): string | undefined {
    const found = (headers.cookie ?? "").split(/; */).find((each) => each.startsWith(`${this.#cookie}=`));
    const value = found?.slice(this.#cookie.length + 1);
    return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
  }

  #writeCookie(browser: string): string {
    // `Lax`, because the authorization server sends the browser back here.
    const parts = [`${this.#cookie}=${browser}`, "Path=/", `Max-Age=${COOKIE_AGE}`, "HttpOnly", "SameSite=Lax"];
    return [...parts, ...(this.#isSecure ? ["Secure"] : [])].join("; ");
  }
}

/** A value that only the page which was shown in a browser, for one link, can know. */
function csrfOf(browser: string, ticket: string): string {
  return createHash("sha256")
    .update(JSON.stringify(["connect", browser, ticket]))
    .digest("base64url");
}

function uselessLink(): Refused {
  const message = "This link was used already, has expired, or never was one. Call the tool again to get a new one.";
  return new Refused(404, "Not connected", message);
}

/** The slug and the name of the upstream in a path. */
function readPlace(pathname: string): readonly [server: string, upstream: string] {
  const match = /^\/connect\/([^/]{1,200})\/([^/]{1,600})$/.exec(pathname);
  try {
    if (match !== null) return [decodeURIComponent(match[1] ?? ""), decodeURIComponent(match[2] ?? "")];
  } catch {
    // Not the encoding of any text.
  }
  throw uselessLink();
}

async function readForm(http: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The connection stays open if the loop ends early, so that the page can still be sent.
  for await (const chunk of http.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_FORM) throw new Refused(413, "Not connected", "This form is too large.");
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

/** Headers of every page. The referrer stays on this origin: without one, browsers would hide the origin of the form, too. */
function setSafeHeaders(response: ServerResponse): void {
  const headers = {
    "cache-control": "no-store",
    "content-security-policy": CONNECT_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function write(response: ServerResponse, status: number, title: string, message: string): void {
  writeHtml(response, status, messagePage(title, message));
}

function writeHtml(response: ServerResponse, status: number, html: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", "content-length": Buffer.byteLength(html) });
  response.end(html);
}
