/** The steps of a login that people see: the company's login, and the question whether a program may act for them. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";
import type { CompanyLogin } from "./company.ts";
import type { ProtectedResource } from "./configuration.ts";
import { sendConsentPage, sendProblemPage } from "./pages.ts";

/** Where people come back to from the company's login. */
export const CALLBACK_PATH = "/login/callback";

const BROWSER_COOKIE = "login_browser";
const START_AGAIN = "Go back to your program and log in again.";

/** The subjects of completed logins, by interaction, until the next step takes them. */
type CompletedLogins = Map<string, string>;

/** The routes beside those of the provider. */
export class Interactions {
  readonly #provider: Provider;
  readonly #company: CompanyLogin;
  readonly #resource: ProtectedResource;
  readonly #url: string;
  readonly #completed: CompletedLogins = new Map();

  constructor(provider: Provider, company: CompanyLogin, resource: ProtectedResource, url: string) {
    this.#provider = provider;
    this.#company = company;
    this.#resource = resource;
    this.#url = url;
  }

  /** Answers a request, if it is for one of these routes. */
  accept(request: IncomingMessage, response: ServerResponse): boolean {
    const { pathname } = new URL(request.url ?? "/", this.#url);
    const [, uid = "", step = ""] = /^\/interaction\/([\w-]{1,64})(?:\/(login|consent))?$/.exec(pathname) ?? [];
    const route = `${request.method} ${pathname === CALLBACK_PATH ? "callback" : uid && (step || "start")}`;
    const work = this.#workOf(route, request, response);
    if (work === undefined) return false;
    work.catch((error: unknown) => {
      console.error("A login failed:", error);
      if (!response.headersSent) sendProblemPage(response, 400, START_AGAIN);
    });
    return true;
  }

  #workOf(route: string, request: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
    switch (route) {
      case "GET start":
        return this.#start(request, response);
      case "GET callback":
        return this.#comeBack(request, response);
      case "GET login":
        return this.#finishLogin(request, response);
      case "POST consent":
        return this.#decide(request, response);
      default:
        return undefined;
    }
  }

  /** Shows the next step: the provider says which one it is. */
  async #start(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { uid, prompt, params, session } = await this.#provider.interactionDetails(request, response);
    if (prompt.name === "login") {
      const browser = randomBytes(16).toString("base64url");
      const location = await this.#company.begin(uid, browser);
      const cookie = `${BROWSER_COOKIE}=${browser}; Path=${CALLBACK_PATH}; HttpOnly; SameSite=Lax; Max-Age=600`;
      response.writeHead(303, { location: location.href, "set-cookie": cookie }).end();
      return;
    }
    const client = await this.#provider.Client.find(String(params["client_id"]));
    const wanted = typeof params["scope"] === "string" ? params["scope"].split(" ") : [];
    sendConsentPage(response, {
      program: client?.clientName ?? "a program without a name",
      redirectUri: new URL(String(params["redirect_uri"])),
      account: session?.accountId ?? "",
      permissions: wanted.map((scope) => this.#resource.scopes[scope]).filter((words) => words !== undefined),
      action: `/interaction/${uid}/consent`,
    });
  }

  /** The cookie of the interaction is for its own path, so that the browser is sent on there. */
  async #comeBack(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const browser = new RegExp(`(?:^|; )${BROWSER_COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? "")?.[1];
    const { uid, subject } = await this.#company.complete(new URL(request.url ?? "/", this.#url), browser);
    this.#completed.set(uid, subject);
    setTimeout(() => this.#completed.delete(uid), 60_000).unref();
    response.writeHead(303, { location: `/interaction/${uid}/login` }).end();
  }

  async #finishLogin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { uid } = await this.#provider.interactionDetails(request, response);
    const accountId = this.#completed.get(uid);
    this.#completed.delete(uid);
    if (accountId === undefined) sendProblemPage(response, 400, START_AGAIN);
    else await this.#provider.interactionFinished(request, response, { login: { accountId } });
  }

  async #decide(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The cookie of the interaction is not sent along from other sites; this also refuses pages at other ports of this machine.
    if (request.headers.origin !== this.#url) {
      sendProblemPage(response, 403, START_AGAIN);
      return;
    }
    const { prompt, params, session, grantId } = await this.#provider.interactionDetails(request, response);
    if ((await readForm(request)).get("decision") !== "allow" || session === undefined) {
      const denied = { error: "access_denied", error_description: "The user said no." };
      return this.#provider.interactionFinished(request, response, denied, { mergeWithLastSubmission: false });
    }
    const known = grantId === undefined ? undefined : await this.#provider.Grant.find(grantId);
    const grant =
      known ?? new this.#provider.Grant({ accountId: session.accountId, clientId: String(params["client_id"]) });
    const { missingOIDCScope, missingResourceScopes = {} } = prompt.details as MissingConsent;
    if (missingOIDCScope !== undefined) grant.addOIDCScope(missingOIDCScope.join(" "));
    for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
      grant.addResourceScope(resource, scopes.join(" "));
    }
    const consent = { grantId: await grant.save() };
    await this.#provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  }
}

/** What the provider says is not granted yet. */
interface MissingConsent {
  readonly missingOIDCScope?: readonly string[];
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
}

const MAX_FORM_BYTES = 4096;

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_FORM_BYTES) throw new Error("The form is too long.");
  }
  return new URLSearchParams(text);
}
