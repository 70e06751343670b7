import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AdmissionOptions } from "../serving/admission-options.ts";

/**
 * How a server is served over WebSockets. Every option loosens or tightens; none is needed to be safe. Limits and times
 * are numbers; `Infinity` switches one off.
 */
export interface WebSocketOptions extends AdmissionOptions {
  /** The path of the endpoint. Default `/ws`. */
  readonly path?: string | undefined;
  /** How many connections there may be at once; more get a 503. Default 10 000. */
  readonly maxConnections?: number | undefined;
  /** The largest message accepted, in bytes; a larger one ends the connection with code 1009. Default 4 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How many bytes may wait for one client that does not read; beyond it, its connection ends. Default 64 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** How many requests of one connection may be in the works at once; more are refused. Default 16384. */
  readonly maxInFlight?: number | undefined;
  /** How often clients are asked for a sign of life, in milliseconds; the silent ones are dropped. Default 30 000. */
  readonly keepAliveInterval?: number | undefined;
  /** How long `close()` lets requests in the works finish, in milliseconds. Default 5000. */
  readonly closeTimeout?: number | undefined;
}

/** A port of its own. */
export interface WebSocketPort extends WebSocketOptions {
  /** 0 takes any free one. */
  readonly port: number;
  readonly server?: undefined;
  /** The address to listen on. Default `127.0.0.1`, which only this machine can reach. */
  readonly host?: string | undefined;
}

/** A place on an HTTP server that exists already, next to whatever else it serves. */
export interface WebSocketAttachment extends WebSocketOptions {
  readonly server: HttpServer | HttpsServer;
}

/** Where and how a server is served over WebSockets. */
export type ServeWebSocketOptions = WebSocketPort | WebSocketAttachment;

/** The subprotocol that both sides of this binding name. */
export const SUBPROTOCOL = "mcp";
