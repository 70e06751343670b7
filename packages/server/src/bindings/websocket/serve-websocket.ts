/// <reference lib="esnext.disposable" preserve="true" />
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import type { Server as HttpsServer } from "node:https";
import { type AdmissionSettings, readTarget } from "../admission/hosts.ts";
import { answerMetadata, isMetadataPath } from "../admission/metadata.ts";
import type { AdmissionOptions } from "../admission/options.ts";
import {
  isObject,
  expectMilliseconds,
  expectKnownNames,
  expectOption,
  type OptionNames,
} from "@toolwire/protocol/internal";
import { listen } from "../http/node/listen.ts";
import { headerOf } from "../http/node/node-adapter.ts";
import { bindingOf } from "../../binding.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { Server } from "../../define/server.ts";
import { checkHost } from "./admission.ts";
import { WebSocketEndpoint } from "./endpoint.ts";

/** How to serve over WebSockets. The defaults are safe. Limits and times are numbers; `Infinity` turns one off. */
export interface WebSocketOptions extends AdmissionOptions {
  /** The path of the endpoint. Default `/ws`. */
  readonly path?: string | undefined;
  /** How many connections may be open at once. More get a 503. Default 10 000. */
  readonly maxConnections?: number | undefined;
  /**
   * How many connections one client may have open. More get a 429. A client is an authenticated caller, or else a public
   * IPv4 address or IPv6 network (/64). Clients at private addresses, where a proxy may be, are not counted one by one
   * unless they are authenticated. Behind a proxy with a public address, authenticate, or raise this. Default: a tenth of
   * `maxConnections`, but at least 10.
   */
  readonly maxConnectionsPerClient?: number | undefined;
  /** The largest message to accept, in bytes. A larger one ends the connection with code 1009. Default 4 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How many bytes may wait for a client that does not read. Beyond that, its connection ends. Default 64 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /**
   * How many requests may be in flight at once on all connections, including open subscriptions. More are refused with
   * -32603. One that was cancelled or timed out counts until its handler has stopped, even if its connection has ended.
   * Default 65536.
   */
  readonly maxInFlight?: number | undefined;
  /**
   * How many requests of one client may be in flight at once. An authenticated caller is one client on all its
   * connections; otherwise each connection is one. More are refused with -32603. Default 16384.
   */
  readonly maxInFlightPerClient?: number | undefined;
  /**
   * What this process shares with others that serve the same clients, as `@toolwire/redis` and `@toolwire/postgres` make it: changes that
   * one announces then reach the clients of all. Default: nothing is shared.
   */
  readonly cluster?: Cluster | undefined;
  /** How often clients are pinged, in milliseconds. Silent ones are dropped. Default 30 000. */
  readonly keepAliveInterval?: number | undefined;
  /** How many milliseconds `close()` waits for requests in flight. Default 5000. */
  readonly closeTimeout?: number | undefined;
}

/** Serves over WebSockets on a port of its own. */
export interface WebSocketPort extends WebSocketOptions {
  /** The port to listen on; 0 picks a free one. */
  readonly port: number;
  readonly server?: undefined;
  /** The address to listen on. Default `127.0.0.1`, which only this machine can reach. */
  readonly host?: string | undefined;
  /** How many milliseconds a client may take to send the head of its request for a connection. Default 10 000. */
  readonly headersTimeout?: number | undefined;
}

/** Serves over WebSockets on an existing HTTP server, next to whatever else it serves. */
export interface WebSocketAttachment extends WebSocketOptions {
  readonly server: HttpServer | HttpsServer;
}

/** Where and how a server is served over WebSockets. */
export type ServeWebSocketOptions = WebSocketPort | WebSocketAttachment;

/** A server that is served over WebSockets, as returned by {@link serveWebSocket}. */
export interface WebSocketListener {
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
  auth: true,
  authenticate: true,
  maxConnections: true,
  maxConnectionsPerClient: true,
  maxMessageBytes: true,
  maxQueuedBytes: true,
  maxInFlight: true,
  maxInFlightPerClient: true,
  headersTimeout: true,
  cluster: true,
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
export async function serveWebSocket(server: Server, options: ServeWebSocketOptions): Promise<WebSocketListener> {
  const binding = bindingOf(server, "serveWebSocket(server, { port: 3000 })");
  expectOption("options", options, isObject(options), "an object with a `port`, or a `server` to join");
  expectKnownNames("serveWebSocket", options, WEBSOCKET_OPTIONS);
  if (options.server !== undefined) return new WebSocketEndpoint(binding, options, expectHttpServer(options.server));
  const { port, host = "127.0.0.1" } = options;
  const http = createUpgradeServer(expectMilliseconds("headersTimeout", options.headersTimeout, 10_000, 1));
  const endpoint = new WebSocketEndpoint(binding, options, http);
  http.on("request", (request, response) => answerRequest(request, response, endpoint.admission));
  try {
    await listen(http, binding, { ...options, port, host });
  } catch (error) {
    await endpoint.close();
    throw error;
  }
  // Read now: a closed server has no address.
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

/** Refuses applications of frameworks, which can listen, but do not emit `upgrade`. */
function expectHttpServer<T extends { readonly address: unknown }>(http: T): T {
  const fits = typeof (http as T | null)?.address === "function";
  return expectOption("server", http, fits, "a server of node:http or node:https, such as app.listen() returns");
}

/** Answers a request that is no upgrade: with the metadata of the resource, which is public, or with 426. */
function answerRequest(request: IncomingMessage, response: ServerResponse, admission: AdmissionSettings): void {
  const { method = "GET", url = "/" } = request;
  const metadata = admission.callerCheck?.metadata;
  if (metadata === undefined || !isMetadataPath(metadata, readTarget(url).path)) {
    const headers = { Connection: "Upgrade", Upgrade: "websocket", "Content-Type": "text/plain" };
    response.writeHead(426, headers).end("This is a WebSocket endpoint.");
    return;
  }
  const refusal = checkHost(request, admission);
  if (refusal !== undefined) {
    response.writeHead(refusal.status, { "Content-Type": "text/plain; charset=utf-8" }).end(refusal.message);
    return;
  }
  const { status, headers, body } = answerMetadata(metadata, method, (name) => headerOf(request, name));
  response.writeHead(status, [...headers]).end(body);
}

/** Creates an HTTP server for upgrades. */
function createUpgradeServer(headersTimeout: number): HttpServer {
  const times = {
    headersTimeout,
    requestTimeout: headersTimeout,
    keepAliveTimeout: 1000,
    // Node checks the timeouts only this often, every 30 seconds by default.
    connectionsCheckingInterval: Math.min(headersTimeout, 5000),
  };
  return createServer(times);
}
