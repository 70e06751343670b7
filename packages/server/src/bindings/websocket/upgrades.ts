/** Routing of upgrade requests (RFC 9110, section 7.8) among the WebSocket endpoints of one HTTP server. */
import { UsageError } from "@toolwire/protocol";
import type { IncomingMessage, Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Duplex } from "node:stream";
import { pathOf, readTarget } from "../admission/hosts.ts";
import { pathNotFound } from "../admission/refusals.ts";
import { refuseUpgrade } from "./admission.ts";

/** Handles the upgrade requests for one path. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The routers of HTTP servers. An HTTP server may have several endpoints, at different paths, and needs one router. */
const routers = new WeakMap<HttpServer | HttpsServer, UpgradeRouter>();

/** Returns the router of an HTTP server. */
export function upgradesOf(http: HttpServer | HttpsServer): UpgradeRouter {
  let router = routers.get(http);
  if (router === undefined) routers.set(http, (router = new UpgradeRouter(http)));
  return router;
}

/** Listens for the upgrade requests of an HTTP server while it has endpoints, and hands each to the endpoint of its path. */
export class UpgradeRouter {
  readonly #http: HttpServer | HttpsServer;
  readonly #handlers = new Map<string, UpgradeHandler>();
  readonly #listener = (request: IncomingMessage, socket: Duplex, head: Buffer): void =>
    this.#route(request, socket, head);

  constructor(http: HttpServer | HttpsServer) {
    this.#http = http;
    declineBeforehand(http, (request) => this.#declines(request));
  }

  /**
   * Adds an endpoint.
   *
   * @throws UsageError if the path is taken
   */
  add(path: string, handler: UpgradeHandler): void {
    if (this.#handlers.has(path)) {
      const message = `Another endpoint of this HTTP server is at ${path} already: give this one a \`path\` of its own.`;
      throw new UsageError("INVALID_ARGUMENT", message);
    }
    if (this.#handlers.size === 0) this.#http.on("upgrade", this.#listener);
    this.#handlers.set(path, handler);
  }

  delete(path: string): void {
    if (this.#handlers.delete(path) && this.#handlers.size === 0) this.#http.off("upgrade", this.#listener);
  }

  #route(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = requestedPath(request);
    const handler = this.#handlers.get(path);
    // Other listeners of the application may serve the path.
    if (handler === undefined && !this.#isAlone) return;
    if (!wantsWebSocket(request)) declineUpgrade(this.#http, request, socket, head);
    else if (handler !== undefined) handler(request, socket, head);
    else refuseUpgrade(socket, pathNotFound([...this.#handlers.keys()].join(" or ")));
  }

  /** Whether to decline a request for another protocol. */
  #declines(request: IncomingMessage): boolean {
    if (this.#handlers.size === 0 || wantsWebSocket(request)) return false;
    return this.#isAlone || this.#handlers.has(requestedPath(request));
  }

  /** Whether no other code listens for upgrade requests. */
  get #isAlone(): boolean {
    return this.#http.listenerCount("upgrade") === 1;
  }
}

function requestedPath({ url = "/" }: IncomingMessage): string {
  return pathOf(readTarget(url).path);
}

function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/*
 * Requests for an upgrade to other protocols, such as HTTP/2, which Java's HTTP client asks for by default. A server that does
 * not know the protocol continues in HTTP (RFC 9110, section 7.8), but once there is an `upgrade` listener, Node leaves all
 * upgrade requests to it.
 */

/** The option of Node 22.21 and 24.9 that decides whether a request is an upgrade, as a member of the server. */
interface UpgradeDecider {
  shouldUpgradeCallback?: (this: unknown, request: IncomingMessage) => boolean;
}

/** Lets an HTTP server answer declined requests itself, where Node asks before it treats a request as an upgrade. */
function declineBeforehand(http: HttpServer | HttpsServer, declines: (request: IncomingMessage) => boolean): void {
  const decider = http as UpgradeDecider;
  const decide = decider.shouldUpgradeCallback;
  if (typeof decide !== "function") return;
  decider.shouldUpgradeCallback = (request) => !declines(request) && decide.call(http, request);
}

/** Lets an HTTP server of an older Node answer a declined request: it is replayed without its `Upgrade` header. */
function declineUpgrade(http: HttpServer | HttpsServer, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  // Node keeps the order of responses only among requests that were parsed together: behind an unfinished response, the
  // replayed one would never be sent. Clients that pipeline have to retry requests that were cut off (RFC 9112, section
  // 9.3.2). There is no public way to tell, but these versions of Node do not change any more.
  const { _httpMessage: unfinishedResponse } = socket as { _httpMessage?: unknown };
  if (unfinishedResponse) return void socket.destroy();
  const { method, url, httpVersion, rawHeaders } = request;
  // Node drops header fields beyond this limit. Without the one that tells its length, a body would be parsed as a request.
  const limit = http.maxHeadersCount ?? 1000;
  if (limit > 0 && rawHeaders.length >= 2 * limit) {
    return refuseUpgrade(socket, { status: 431, message: "This request has too many header fields." });
  }
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    // `Connection` stays: it also says whether the connection is kept.
    if (name.toLowerCase() !== "upgrade") text += `${name}: ${value}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, "latin1"), head]));
  http.emit("setSecureContext" in http ? "secureConnection" : "connection", socket);
}
