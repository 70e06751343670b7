/// <reference lib="esnext.disposable" preserve="true" />
import { expectOptions, LONGEST_TIMER, type OptionNames } from "@toolwire/protocol/internal";
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { bindingOf } from "../../../binding.ts";
import type { Server } from "../../../define/server.ts";
import { HTTP_HINTS } from "../../../define/other-names.ts";
import { createDrain, type DrainOptions } from "../drain.ts";
import { HttpEndpoint } from "../endpoint.ts";
import { keepAliveTogether } from "../events.ts";
import type { HttpHealth } from "../health.ts";
import { HTTP_OPTIONS, resolveCounts, type HttpOptions } from "../options.ts";
import { listen } from "./listen.ts";
import { acceptNodeRequest } from "./node-adapter.ts";

/** The options of {@link serveHttp}: where and how to listen. */
export interface ServeHttpOptions extends HttpOptions {
  /** The port to listen on; 0 picks a free one. Default 3000. */
  readonly port?: number | undefined;
  /** The address to listen on. Default `127.0.0.1`, which only this machine can reach. */
  readonly host?: string | undefined;
  /** The path of the endpoint. Default `/mcp`. */
  readonly path?: string | undefined;
  /** How many milliseconds a client may take to send the head of a request. Default 10 000. */
  readonly headersTimeout?: number | undefined;
  /** How many milliseconds a client may take to send a whole request. Default 60 000. */
  readonly requestTimeout?: number | undefined;
  /**
   * How many milliseconds an idle connection stays open. Default 95 000: clients and load balancers keep idle
   * connections for up to 90 seconds, and would send requests on connections that this side is just closing.
   */
  readonly keepAliveTimeout?: number | undefined;
}

/** A server that listens, as returned by {@link serveHttp}. */
export interface HttpListener {
  /** Where clients connect to, such as `http://127.0.0.1:3000/mcp`. */
  readonly url: string;
  readonly port: number;
  /** How it is, for a page or a probe of your own. */
  health(): HttpHealth;
  /**
   * Drains: is not ready any more at once, goes on until load balancers have noticed, and closes. Call it when the process is told to
   * end.
   */
  drain(options?: DrainOptions): Promise<void>;
  /**
   * Shuts down gracefully: takes no new requests, ends streams and subscriptions, waits for requests in flight within
   * `closeTimeout`, and stops listening. Meanwhile, clients can still answer what they were asked and reconnect for
   * answers that are not ready yet. An answer that was ready before its client reconnected is lost, as is everything
   * else kept of sessions.
   */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const SERVE_HTTP_OPTIONS: OptionNames<ServeHttpOptions> = {
  port: true,
  host: true,
  ...HTTP_OPTIONS,
  headersTimeout: true,
  requestTimeout: true,
  keepAliveTimeout: true,
};

/**
 * Serves a server over HTTP, on a port of its own. By default, only this machine can reach it.
 *
 * @example
 * ```ts
 * import { serveHttp } from "@toolwire/server/http";
 *
 * const { url, close } = await serveHttp(server, { port: 3000 });
 * ```
 */
export async function serveHttp(server: Server, options: ServeHttpOptions = {}): Promise<HttpListener> {
  const binding = bindingOf(server, "serveHttp(server, { port: 3000 })");
  expectOptions("serveHttp", options, SERVE_HTTP_OPTIONS, HTTP_HINTS);
  const { port = 3000, host = "127.0.0.1", path = "/mcp" } = options;
  const endpoint = new HttpEndpoint(binding, { ...options, path }, keepAliveTogether);
  const http = createHttpServer(options);
  const connections = acceptRequests(http, endpoint);
  try {
    await listen(http, binding, { ...options, port, host });
  } catch (error) {
    await endpoint.close();
    throw error;
  }
  const address = http.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeServer(http, endpoint, connections));
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}${path}`,
    port: address.port,
    health: () => endpoint.health(),
    drain: createDrain(endpoint, close),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function createHttpServer(options: ServeHttpOptions): HttpServer {
  const timeouts = { requestTimeout: 60_000, headersTimeout: 10_000, keepAliveTimeout: 95_000 };
  const { requestTimeout, headersTimeout, keepAliveTimeout } = resolveCounts(timeouts, options);
  return createServer({
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    requestTimeout,
    // Node adds a second, and warns of a sum that no timer can hold.
    keepAliveTimeout: Math.min(keepAliveTimeout, LONGEST_TIMER - 1000),
    connectionsCheckingInterval: Math.min(headersTimeout, 5000),
    // TCP keep-alive detects clients that have vanished, even while nothing is sent to them.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  });
}

/** The connections of an HTTP server. */
interface Connections {
  readonly sockets: ReadonlySet<Socket>;
  /** The latest response on each connection, where requests may wait until their caller is known. */
  readonly latest: WeakMap<Socket, ServerResponse>;
}

/** Hands all requests of an HTTP server to an endpoint. */
function acceptRequests(http: HttpServer, endpoint: HttpEndpoint): Connections {
  const sockets = new Set<Socket>();
  http.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  // Weak: a response that waits behind others never hears that its connection has closed.
  const latest = new WeakMap<Socket, ServerResponse>();
  const { callerCheck, maxBodyBytes } = endpoint.settings;
  const accept = (request: IncomingMessage, response: ServerResponse): void => {
    // Until its caller is known, the endpoint does not count the request as in flight.
    if (callerCheck !== undefined) latest.set(request.socket, response);
    // Load balancers keep connections for long, and would go on sending requests on them.
    if (endpoint.isDraining) response.shouldKeepAlive = false;
    acceptNodeRequest(endpoint, request, response, undefined);
  };
  http.on("request", accept);
  // A body that would be refused for its length need not be sent at all.
  http.on("checkContinue", (request, response) => {
    if (!(Number(request.headers["content-length"]) > maxBodyBytes)) response.writeContinue();
    accept(request, response);
  });
  return { sockets, latest };
}

async function closeServer(http: HttpServer, endpoint: HttpEndpoint, { sockets, latest }: Connections): Promise<void> {
  const deadline = performance.now() + endpoint.settings.closeTimeout;
  const needsConnections = endpoint.older?.needsConnections === true;
  const finished = endpoint.close();
  // Keeps listening as long as clients may have to connect to answer a request of the server.
  if (needsConnections) await finished;
  // Node takes a connection for idle once its response is complete, and cuts it, although most bytes may not be sent yet.
  if ([...sockets].some(({ writableLength }) => writableLength > 0)) http.closeIdleConnections = () => undefined;
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  await finished;
  // All responses are complete, but some clients may still be reading theirs.
  const timer = setTimeout(() => http.closeAllConnections(), Math.max(deadline - performance.now(), 0));
  for (const socket of sockets) {
    const response = latest.get(socket);
    if (response === undefined || response.writableEnded) socket.destroySoon();
    else response.once("close", () => socket.destroySoon());
  }
  await closed;
  clearTimeout(timer);
}
