import { LONGEST_TIMER } from "@toolwire/protocol/internal";
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpEndpoint } from "../endpoint.ts";
import { resolveCounts } from "../options.ts";
import { acceptNodeRequest } from "./node-adapter.ts";
import type { ServeHttpOptions } from "./serve-options.ts";

/** Makes a server that closes connections which take too long. */
export function createHttpServer(options: ServeHttpOptions): HttpServer {
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
export interface Connections {
  readonly sockets: ReadonlySet<Socket>;
  /** The latest response on each connection, where requests may wait until their caller is known. */
  readonly latest: WeakMap<Socket, ServerResponse>;
}

/** Hands all requests of an HTTP server to an endpoint. */
export function acceptRequests(http: HttpServer, endpoint: HttpEndpoint): Connections {
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

/**
 * Closes an endpoint and its HTTP server, gracefully. `stopped` is called when no client has to connect any more.
 */
export async function closeServer(
  http: HttpServer,
  endpoint: HttpEndpoint,
  { sockets, latest }: Connections,
  stopped?: () => void,
): Promise<void> {
  const deadline = performance.now() + endpoint.settings.closeTimeout;
  const needsConnections = endpoint.older?.needsConnections === true;
  const finished = endpoint.close();
  // Keeps listening as long as clients may have to connect to answer a request of the server.
  if (needsConnections) await finished;
  stopped?.();
  // Node takes a connection for idle once its response is complete, and cuts it, although most bytes may not be sent yet.
  if ([...sockets].some(({ writableLength }) => writableLength > 0)) http.closeIdleConnections = () => undefined;
  // A server that does not listen, as in a worker, has closed before its connections have.
  const closed = Promise.all([
    new Promise<void>((resolve) => http.close(() => resolve())),
    ...[...sockets].map(whenClosed),
  ]);
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

function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
  });
}
