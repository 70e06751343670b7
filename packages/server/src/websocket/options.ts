import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AdmissionOptions } from "../serving/admission-options.ts";

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
