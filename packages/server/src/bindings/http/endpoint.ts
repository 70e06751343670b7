import { eraOf, type Revision } from "@toolwire/protocol";
import { PooledSet } from "@toolwire/protocol/internal";
import type { ServerBinding } from "../../binding.ts";
import type { DetachCluster } from "../../cluster/attached.ts";
import { isThenable } from "../../request/thenable.ts";
import { openServer } from "../admission/open-server.ts";
import type { Admission } from "../admission/auth.ts";
import { CallerShares, defaultShare, networkOf } from "../admission/callers.ts";
import { isAllowedHost, isAllowedOrigin, mountPathOf, namesSeveralHosts, pathOf } from "../admission/hosts.ts";
import type { CallerCheck } from "../admission/caller-check.ts";
import { answerMetadata, isMetadataPath } from "../admission/metadata.ts";
import { ADMISSION_TIMEOUT_MS } from "../admission/options.ts";
import {
  admissionFailed,
  admissionTimedOut,
  hostNotAllowed,
  originNotAllowed,
  pathNotFound,
  type Refusal,
  severalHosts,
  shuttingDown,
} from "../admission/refusals.ts";
import { TIMED_OUT, withTimeout } from "../admission/with-timeout.ts";
import type { HeaderList, HttpRequestAdapter } from "./adapter.ts";
import { answerPage, wantsPage } from "./answer-page.ts";
import { createOlderEra, type HttpEra } from "./era.ts";
import { methodNotAllowed, refuse, requestFailed, streamPipelined, tooManyRequests } from "./errors.ts";
import type { KeepAlive } from "./events.ts";
import { answerHealth, healthOf, type HttpHealth } from "./health.ts";
import { InFlightLimits } from "./limits.ts";
import { resolveSettings, type HttpOptions, type HttpSettings } from "./options.ts";
import { acceptPosted, readJson } from "./receive.ts";
import { HttpRequest } from "./request.ts";
import type { PostResponse } from "./response.ts";

/**
 * A server that is served over HTTP. Checks, in this order, where a request comes from, who sends it, and which HTTP method
 * it has; then its message is received. A caller that is known at once costs no promise. Nothing here depends on Node.
 */
export class HttpEndpoint {
  readonly server: ServerBinding;
  readonly settings: HttpSettings;
  /** The revisions that are served here, newest first. */
  readonly revisions: readonly Revision[];
  readonly keepAlive: KeepAlive;
  /** Responses that are not complete. */
  readonly inFlight: PooledSet<PostResponse> = new PooledSet<PostResponse>();
  /** Counts the requests in flight. */
  readonly limits: InFlightLimits;
  /** Serves the clients of an older era, if they are served. */
  readonly older: HttpEra | undefined;
  /** Counts the requests that wait until their caller is known. */
  readonly #authenticating: InFlightLimits;
  /** The same by network, since one caller may open any number of connections. */
  readonly #authenticatingByNetwork: CallerShares;
  /** The latest `Host` header that was allowed: nearly all requests have the same. */
  #allowedHost: string | undefined;
  readonly #closeServer: DetachCluster;
  #isDraining = false;
  #closing: Promise<void> | undefined;
  /** Ends the wait for load balancers. */
  #onClosing: (() => void) | undefined;
  #onIdle: (() => void) | undefined;

  /** `keepAliveEvery` makes the keep-alive of event streams, which differs by platform. */
  constructor(server: ServerBinding, options: HttpOptions, keepAliveEvery: (intervalMs: number) => KeepAlive) {
    this.server = server;
    this.settings = resolveSettings(options);
    const { maxInFlight, maxInFlightPerClient, keepAliveInterval } = this.settings;
    this.keepAlive = keepAliveEvery(keepAliveInterval);
    this.limits = new InFlightLimits(maxInFlight, maxInFlightPerClient, this);
    this.#authenticating = new InFlightLimits(maxInFlight, maxInFlightPerClient, this);
    this.#authenticatingByNetwork = new CallerShares(defaultShare(maxInFlight));
    this.older = createOlderEra?.(this, options.legacy);
    // Last: nothing is attached if an option makes no sense.
    this.#closeServer = openServer(this.settings.cluster, server, this.settings.callerCheck);
    this.revisions =
      this.older === undefined ? server.revisions.filter((revision) => eraOf(revision) === "modern") : server.revisions;
  }

  /** Whether the revision of this name is served here. */
  serves(version: string): version is Revision {
    return this.revisions.includes(version as Revision);
  }

  /** Responds to one HTTP request, now or later. */
  accept(adapter: HttpRequestAdapter): void {
    const request = new HttpRequest(adapter, this);
    const { callerCheck, health } = this.settings;
    if (health !== undefined && answerHealth(request, health, () => this.health())) return;
    const hostRefusal = this.#checkHost(request);
    if (hostRefusal !== undefined) return refuse(request, hostRefusal);
    // Public, wherever the endpoint is, and whoever asks: pages of all origins may have to log in.
    if (callerCheck?.metadata !== undefined && isMetadataPath(callerCheck.metadata, adapter.target)) {
      const { status, headers, body } = answerMetadata(callerCheck.metadata, adapter.method, (name) =>
        adapter.header(name),
      );
      return request.respond(status, headers, body);
    }
    const refusal = this.#checkSource(request);
    if (refusal !== undefined) return refuse(request, refusal);
    if (adapter.method === "OPTIONS" && request.header("origin") !== undefined) return answerPreflight(request);
    if (this.isClosedTo(request)) return refuse(request, shuttingDown());
    if (callerCheck === undefined) this.#route(request);
    else this.#admit(request, callerCheck);
  }

  #checkHost(request: HttpRequest): Refusal | undefined {
    const host = request.header("host");
    if (host !== undefined && host === this.#allowedHost) return undefined;
    if (namesSeveralHosts(host)) return severalHosts();
    if (!isAllowedHost(host, this.settings.allowedHosts)) return hostNotAllowed(host);
    this.#allowedHost = host;
    return undefined;
  }

  /** Checks where a request comes from and goes to. Lets web pages of allowed origins read the response. */
  #checkSource(request: HttpRequest): Refusal | undefined {
    const { adapter } = request;
    const { allowedHosts, allowedOrigins, path } = this.settings;
    const origin = request.header("origin");
    if (origin !== undefined) {
      if (!isAllowedOrigin(origin, allowedOrigins, allowedHosts)) return originNotAllowed(origin);
      request.addResponseFields(corsFields(origin));
    }
    if (path === undefined || isAt(path, adapter) || this.older?.ownPaths?.includes(adapter)) return undefined;
    return pathNotFound(inFull(path, adapter));
  }

  /** Asks who the caller is, if not too many requests wait for that already. */
  #admit(request: HttpRequest, check: CallerCheck): void {
    // The connection, as long as the principal is not known.
    const { client, adapter } = request;
    const { method, target, raw, address } = adapter;
    const network = networkOf(address);
    let refusal = this.#authenticating.check(client, 1);
    if (!this.#authenticatingByNetwork.hasRoom(network)) refusal ??= tooManyRequests(429);
    if (refusal !== undefined) return refuse(request, refusal);
    const header = (name: string): string | undefined => adapter.header(name.toLowerCase());
    let admission: Admission | Promise<Admission>;
    try {
      admission = check.admit({ method, target, raw, address, header });
    } catch (error) {
      return refuse(request, admissionFailed(this.server, error));
    }
    // Waits for promises only: other listeners of the body would miss a part of it if this one came later.
    if (isThenable(admission)) void this.#awaitAdmission(request, admission, client, network);
    else this.#enter(request, admission);
  }

  async #awaitAdmission(
    request: HttpRequest,
    promised: PromiseLike<Admission>,
    client: string | object,
    network: string | undefined,
  ): Promise<void> {
    this.#authenticating.add(client, 1);
    this.#authenticatingByNetwork.take(network);
    let admission: Admission;
    try {
      const settled = await withTimeout(ADMISSION_TIMEOUT_MS, Promise.resolve(promised));
      admission = settled === TIMED_OUT ? { refusal: admissionTimedOut() } : settled;
    } catch (error) {
      admission = { refusal: admissionFailed(this.server, error) };
    }
    this.#authenticating.add(client, -1);
    this.#authenticatingByNetwork.release(network);
    this.#enter(request, admission);
  }

  /** Lets a request in, or refuses it. */
  #enter(request: HttpRequest, admission: Admission): void {
    if ("refusal" in admission) return this.#refuseEntry(request, admission.refusal);
    const { principal, headers } = admission;
    request.principal = principal;
    if (headers !== undefined) request.addResponseFields(headers);
    // The endpoint may have begun to close meanwhile.
    if (this.isClosedTo(request)) refuse(request, shuttingDown());
    else this.#route(request);
  }

  /** Refuses a caller. A person learns that credentials are needed. */
  #refuseEntry(request: HttpRequest, refusal: Refusal): void {
    const { status } = refusal;
    if ((status === 401 || status === 403) && wantsPage(request)) void answerPage(request, refusal);
    else refuse(request, refusal);
  }

  #route(request: HttpRequest): void {
    const { adapter } = request;
    const { method } = adapter;
    if (method === "GET" && adapter.isPipelined) return refuse(request, streamPipelined());
    try {
      if (this.older?.ownPaths?.includes(adapter)) this.older.ownPaths.accept(request);
      else if (method === "POST") readJson(request, acceptPosted);
      else if (!this.older?.acceptBodiless(request)) this.#acceptBodiless(request);
    } catch (error) {
      refuse(request, requestFailed(this.server, error));
    }
  }

  /** A request that means nothing to the protocol may come from a person. */
  #acceptBodiless(request: HttpRequest): void {
    if (wantsPage(request)) void answerPage(request);
    else refuse(request, methodNotAllowed(request.adapter.method));
  }

  /** Counts a response as in flight. */
  hold(response: PostResponse): void {
    if (response.slot !== undefined) return;
    this.inFlight.add(response);
    this.limits.add(response.request.client, response.requestCount);
  }

  /** Counts a response as complete. */
  release(response: PostResponse): void {
    if (!this.inFlight.delete(response)) return;
    this.limits.add(response.request.client, -response.requestCount);
    if (this.inFlight.size === 0) this.#onIdle?.();
  }

  /**
   * Whether a request has to be refused because the endpoint is closing. `value` is the parsed body, once it was read: it
   * shows whether work in flight may need the request.
   */
  isClosedTo(request: HttpRequest, value?: unknown): boolean {
    return this.#closing !== undefined && this.older?.isAwaited(request, value) !== true;
  }

  /** Whether requests should go elsewhere: it drains, closes, or is closed. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** How the endpoint is, for load balancers. */
  health(): HttpHealth {
    return healthOf(this.#isDraining, this.settings.cluster, this.settings.health);
  }

  /** Is not ready any more, but goes on. Resolves after so many milliseconds, or when it closes before. */
  async drain(ms: number): Promise<void> {
    this.#isDraining = true;
    if (this.#closing !== undefined) return;
    const closing = new Promise<void>((resolve) => {
      const isAlready = this.#onClosing;
      this.#onClosing = () => {
        isAlready?.();
        resolve();
      };
    });
    await withTimeout(ms, closing);
  }

  /** Accepts no more requests, ends subscriptions and streams as the protocol says, and lets the rest finish in time. */
  close(): Promise<void> {
    this.#isDraining = true;
    this.#onClosing?.();
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    for (const { request } of this.inFlight.list()) this.server.endSubscriptions(request.connection);
    const olderClosing = this.older?.beginClose();
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.inFlight.size === 0) resolve();
    });
    await withTimeout(this.settings.closeTimeout, idle);
    for (const response of this.inFlight.list()) response.cancel("the server is shutting down", 503);
    await olderClosing;
    await this.older?.close();
    await this.#closeServer();
  }
}

/** Lets a page read a response, and its headers that matter (WHATWG Fetch, "CORS protocol"). */
function corsFields(origin: string): HeaderList {
  return [
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Expose-Headers",
    "Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce, Retry-After",
    "Vary",
    "Origin",
  ];
}

/** Answers a browser that asks whether a page may send a request (WHATWG Fetch, "CORS-preflight fetch"). */
function answerPreflight(request: HttpRequest): void {
  const allowed = ["Access-Control-Allow-Methods", "GET, POST, DELETE", "Access-Control-Max-Age", "600"];
  // `Mcp-Param-*` headers have no fixed names, so every header that is asked for is allowed.
  const requested = request.header("access-control-request-headers");
  request.respond(204, requested === undefined ? allowed : [...allowed, "Access-Control-Allow-Headers", requested]);
}

/** Whether a request is for a path of the options: as its client wrote it, or as a framework routes it. */
function isAt(path: string, adapter: HttpRequestAdapter): boolean {
  return isSamePath(path, pathOf(adapter.target)) || isSamePath(path, adapter.routedPath);
}

/** Ignores a trailing slash: some clients append one to every URL, and follow no redirect. */
function isSamePath(path: string, asked: string): boolean {
  return asked === path || asked === `${path}/`;
}

/** Writes a path of the options as clients have to: below the prefix that a framework has mounted the handler on. */
function inFull(path: string, { target, routedPath }: HttpRequestAdapter): string {
  const mount = mountPathOf(pathOf(target), routedPath);
  return (`${path}/`.startsWith(`${mount}/`) ? path : mount + path) || "/";
}
