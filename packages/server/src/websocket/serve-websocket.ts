/// <reference lib="esnext.disposable" preserve="true" />
import { createServer, type Server as HttpServer } from "node:http";
import { isObject, resolveMilliseconds } from "@toolwire/protocol/internal";
import { expectOption } from "../definition/expect-option.ts";
import { expectKnownNames, type OptionNames } from "../definition/known-options.ts";
import { listen } from "../node/listen.ts";
import type { Serving } from "../serving/contract.ts";
import { expectServing } from "../serving/expect-serving.ts";
import { WebSocketEndpoint } from "./endpoint.ts";
import type { ServeWebSocketOptions, WebSocketPort } from "./options.ts";

/** A server that is served over WebSockets, as returned by {@link serveWebSocket}. */
export interface WebSocketServing {
  /** Where clients connect to, such as `ws://127.0.0.1:3000/ws`. */
  readonly url: string;
  /** The port that is listened on. */
  readonly port: number;
  /** How many connections are open. */
  readonly connections: number;
  /**
   * Takes no more connections, waits for requests in flight, within `closeTimeout`, and closes all connections with
   * code 1001. A port of its own is closed; an existing HTTP server keeps running. Closing twice is safe.
   */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const WEBSOCKET_OPTIONS: OptionNames<WebSocketPort> = {
  port: true,
  host: true,
  server: true,
  path: true,
  allowedHosts: true,
  allowedOrigins: true,
  authenticate: true,
  maxConnections: true,
  maxConnectionsPerClient: true,
  maxMessageBytes: true,
  maxQueuedBytes: true,
  maxInFlight: true,
  maxInFlightPerClient: true,
  headersTimeout: true,
  keepAliveInterval: true,
  closeTimeout: true,
};

/**
 * Serves a server over WebSockets, on a port of its own or at one path of an existing HTTP server. Each text frame is
 * one JSON-RPC message; the subprotocol is `mcp`.
 *
 * Web pages of other hosts cannot connect, nor can clients that use an unexpected host name: see `allowedHosts` and
 * `allowedOrigins`. The binding is described in `docs/websocket-binding.md`.
 *
 * @example
 * ```ts
 * const { url } = await serveWebSocket(server, { port: 3000 });
 * ```
 */
export async function serveWebSocket(server: Serving, options: ServeWebSocketOptions): Promise<WebSocketServing> {
  expectServing("serveWebSocket(server, { port: 3000 })", server);
  expectOption("options", options, isObject(options), "an object with a `port`, or a `server` to join");
  expectKnownNames("serveWebSocket", options, WEBSOCKET_OPTIONS);
  if (options.server !== undefined) return new WebSocketEndpoint(server, options, expectHttpServer(options.server));
  const { port, host = "127.0.0.1" } = options;
  const http = createUpgradeServer(resolveMilliseconds("headersTimeout", options.headersTimeout, 10_000, 1));
  const endpoint = new WebSocketEndpoint(server, options, http);
  await listen(http, server, { ...options, port, host });
  // The address is gone once the server is closed; what was served where is still worth knowing then.
  const { url, port: actualPort } = endpoint;
  return {
    url,
    port: actualPort,
    get connections() {
      return endpoint.connections;
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  async function close(): Promise<void> {
    http.close();
    await endpoint.close();
    http.closeAllConnections();
  }
}

/** An application of a framework is no server, though it can listen: it would never be told of upgrades. */
function expectHttpServer<T extends { readonly address: unknown }>(http: T): T {
  const fits = typeof (http as T | null)?.address === "function";
  return expectOption("server", http, fits, "a server of node:http or node:https, such as app.listen() returns");
}

/** An HTTP server with nothing to offer but the upgrade. */
function createUpgradeServer(headersTimeout: number): HttpServer {
  const text = "This is a WebSocket endpoint.";
  const times = {
    headersTimeout,
    requestTimeout: headersTimeout,
    keepAliveTimeout: 1000,
    // Node looks for those that take too long only this often, every 30 seconds by default.
    connectionsCheckingInterval: Math.min(headersTimeout, 5000),
  };
  return createServer(times, (_, response) => {
    response.writeHead(426, { Connection: "Upgrade", Upgrade: "websocket", "Content-Type": "text/plain" }).end(text);
  });
}
