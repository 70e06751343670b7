import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { ToolwireError } from "@toolwire/protocol";
import type { RateLimitStore } from "@toolwire/server/cluster";
import { ConfigError } from "../config/problem.ts";
import type { Gateway } from "../gateway.ts";
import { answerProbe } from "../listener/listener.ts";
import { analyticsRoutes } from "./api/analytics.ts";
import { callRoutes } from "./api/calls.ts";
import { definitionRoutes } from "./api/definitions.ts";
import { importRoutes } from "./api/imports.ts";
import { keyRoutes } from "./api/keys.ts";
import { secretRoutes } from "./api/secrets.ts";
import { serverRoutes } from "./api/servers.ts";
import { stateRoutes, writeMetrics } from "./api/state.ts";
import { toolRoutes } from "./api/tools.ts";
import { upstreamRoutes } from "./api/upstreams.ts";
import { AdminError } from "./http/admin-error.ts";
import { createGuard, isRead } from "./http/guard.ts";
import { setSafeHeaders, writeError, writeReply } from "./http/reply.ts";
import { readJsonBody, type AdminRequest } from "./http/request.ts";
import { createRouter, type Match } from "./http/router.ts";
import type { DocumentReader } from "./import/document-reader.ts";
import { createThreadedReader } from "./import/threaded-reader.ts";
import { Login, type Caller } from "./login/login.ts";
import { LoginCodes } from "./login/login-codes.ts";
import { PersonLogin, type PersonLoginOptions } from "./login/person-login.ts";
import { createPageServer } from "./page-files.ts";

/** How the admin API and the page are served. */
export interface AdminOptions {
  /** The admin token. Make one with `createAdminToken` if nobody has configured one. */
  readonly token: string;
  /** The codes of links that log somebody in. Default: there are none. */
  readonly codes?: LoginCodes | undefined;
  /** Names besides `localhost` and addresses by which browsers may reach the admin listener. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Lets people in who log in at an identity provider. */
  readonly login?: Omit<PersonLoginOptions, "now" | "openSession" | "onFailure" | "store"> | undefined;
  /** Counts wrong tokens at all gateways of a cluster. Default: this process counts its own. */
  readonly limits?: RateLimitStore | undefined;
  /** Hears of logins that have failed, for the operator. */
  readonly onLoginFailure?: ((message: string) => void) | undefined;
  /** Reads OpenAPI documents. Default: in a thread of their own. */
  readonly documents?: DocumentReader | undefined;
  /** The folder with the built page. Default: the one of this package. */
  readonly page?: string | undefined;
  /** Told of every failure that is not the caller's fault; the caller gets the same id. */
  readonly onError?: ((error: unknown, id: string) => void) | undefined;
  /** The time in milliseconds since 1970. For tests. */
  readonly now?: (() => number) | undefined;
}

const PREFIX = "/api/v1/";

/** Makes a request listener for `node:http` that serves the admin API below `/api/v1`, and the page everywhere else. */
export function createAdminHandler(gateway: Gateway, options: AdminOptions): RequestListener {
  const now = options.now ?? Date.now;
  const { pageLogins } = gateway.storage;
  const guard = createGuard(options.allowedHosts ?? []);
  const personLogin =
    options.login &&
    new PersonLogin({
      ...options.login,
      now,
      store: pageLogins,
      openSession: (...session) => login.openSession(...session),
      onFailure: (message) => options.onLoginFailure?.(message),
    });
  const login: Login = new Login({
    token: options.token,
    guard,
    codes: options.codes ?? new LoginCodes(now, pageLogins),
    now,
    store: pageLogins,
    limits: options.limits,
    personLogin,
  });
  const servePage = createPageServer(options.page);
  const { redactor } = gateway.storage;
  const findRoute = createRouter([
    ...serverRoutes(gateway),
    ...toolRoutes(gateway),
    ...definitionRoutes(gateway),
    ...importRoutes(gateway, options.documents ?? createThreadedReader(), now),
    ...upstreamRoutes(gateway),
    ...secretRoutes(gateway),
    ...keyRoutes(gateway, now),
    ...analyticsRoutes(gateway, now),
    ...callRoutes(gateway, now),
    ...stateRoutes(gateway),
  ]);

  async function serve(http: IncomingMessage, response: ServerResponse): Promise<void> {
    setSafeHeaders(response);
    guard.check(http);
    const [path = "/", search = ""] = (http.url ?? "/").split("?", 2);
    // Load balancers ask without a token.
    const isReady = path === "/healthz" || (path === "/readyz" ? gateway.isReady() : undefined);
    if (isReady !== undefined && isRead(http)) {
      answerProbe(response, isReady, path === "/readyz" ? gateway.isEngineUp() : undefined);
      return;
    }
    if (path === "/metrics" && isRead(http)) {
      if ((await login.identify(http)) === undefined) throw notLoggedIn();
      writeReply(http, response, writeMetrics(gateway));
      return;
    }
    if (personLogin?.serves(path) === true) {
      await personLogin.serve(http, response, path, new URLSearchParams(search));
      return;
    }
    if (!/^\/+api(?:\/|$)/i.test(path)) {
      servePage(http, response);
      return;
    }
    if (path === `${PREFIX}session`) {
      await login.serve(http, response);
      return;
    }
    const caller = await login.identify(http);
    if (caller === undefined) throw notLoggedIn();
    const match = findRoute(http.method ?? "GET", path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path);
    const request = makeRequest(http, response, caller, match, search);
    writeReply(http, response, await match.route.run(request), (value) => redactor.redactValue(value));
  }

  return (http, response) => {
    serve(http, response).catch((error: unknown) => {
      // Bytes that nobody reads would keep the connection from being used again.
      http.resume();
      const { status, code, message, headers, problems } = toAdminError(error, options.onError);
      const shown = problems?.map(({ path, message: text }) => ({
        path: path.map((key) => (typeof key === "string" ? redactor.redact(key) : key)),
        message: redactor.redact(text),
      }));
      writeError(response, new AdminError(status, code, redactor.redact(message), headers, shown));
    });
  };
}

function makeRequest(
  http: IncomingMessage,
  response: ServerResponse,
  caller: Caller,
  match: Match,
  search: string,
): AdminRequest {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return {
    method: http.method ?? "GET",
    query: new URLSearchParams(search),
    params: match.params,
    actor: caller.name,
    headers: http.headers,
    signal: gone.signal,
    isStillAllowed: caller.isStillAllowed,
    response,
    readBody: (maxBytes) => readJsonBody(http, maxBytes),
  };
}

function notLoggedIn(): AdminError {
  return new AdminError(
    401,
    "not_logged_in",
    "Log in on the page, or send the admin token: Authorization: Bearer <token>.",
    { "www-authenticate": "Bearer" },
  );
}

/** Errors of the SDK say what the caller should change. Others stay inside, and the caller gets an id to find them by. */
function toAdminError(error: unknown, onError: AdminOptions["onError"]): AdminError {
  if (error instanceof AdminError) return error;
  if (error instanceof ConfigError) {
    const problems = error.problems.map(({ path, message }) => ({ path, message }));
    return new AdminError(422, "invalid_configuration", error.message, {}, problems);
  }
  if (error instanceof ToolwireError) return new AdminError(422, String(error.code).toLowerCase(), error.message);
  const id = randomUUID();
  onError?.(error, id);
  return new AdminError(
    500,
    "internal",
    `Something failed inside the gateway. Its log has the reason, with the id ${id}.`,
  );
}
