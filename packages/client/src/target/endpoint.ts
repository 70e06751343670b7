import type { Channel, ExchangeTransport } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { commandEndpoint } from "#command";
import { refuseOptions } from "../check-options.ts";
import { parseServerUrl } from "../server-url.ts";
import type { HttpTransportOptions } from "../transports/http/options.ts";
import { openHttpTransport, type HttpEra } from "../transports/http/transport.ts";
import type { SpawnOptions } from "../transports/stdio/spawn-server.ts";
import { createWebSocketChannel, type WebSocketOptions } from "../transports/websocket/create-channel.ts";
import { explainMade, explainTarget } from "./explain-target.ts";

/** A transport: a channel or an exchange transport. */
export type Transport = Channel | ExchangeTransport;

/** A server to start: a program that speaks MCP over its standard streams. No shell is involved. */
export interface CommandTarget extends SpawnOptions {}

/**
 * Where the server is: a URL (`http`, `https`, `ws`, `wss`), a command to start, a transport, or a function that makes
 * a transport. With all but a ready-made transport, the client can reconnect when the connection is lost.
 */
export type ConnectTarget = string | URL | CommandTarget | Transport | (() => Transport | Promise<Transport>);

/** The options of transports, by the kind of target that they are for. */
export interface TransportOptions {
  /** How to reach a server over HTTP, for `http:` and `https:` URLs. */
  readonly http?: HttpTransportOptions | undefined;
  /** How to open a WebSocket, for `ws:` and `wss:` URLs. */
  readonly websocket?: WebSocketOptions | undefined;
}

/** Makes the endpoint of a program to start. Browsers cannot start any, so each platform has its own. */
export type CommandEndpoint = (target: CommandTarget) => Endpoint;

/** The place of one server, and the transport to it. */
export interface Endpoint {
  /** The key under which its era is remembered. Absent for ready-made transports. */
  readonly key?: string;
  /**
   * The name that tells it from all servers whose answers may differ. Caches get to see it, so it is absent where only a
   * secret would do.
   */
  readonly identity?: string | undefined;
  /** Whether it can be opened more than once. */
  readonly reopens: boolean;
  open(): Promise<Transport>;
  /** The parts of an HTTP endpoint, from which an era can make a transport of its own. Absent for all others. */
  readonly http?: HttpEndpoint;
}

/** An endpoint that HTTP requests can be sent to. */
interface HttpEndpoint {
  readonly url: URL;
  readonly options: HttpTransportOptions;
}

/**
 * Finds out what kind of target this is. Throws a `UsageError` that says what is wrong with a value of no such kind, or with the
 * options of its transport. `olderHttp` is what an older era adds to HTTP.
 */
export function toEndpoint(
  target: ConnectTarget,
  options: TransportOptions & { readonly timeout?: number | undefined },
  olderHttp?: HttpEra,
): Endpoint {
  if (isCommand(target)) {
    refuseOptions(options, "http", "websocket");
    return commandEndpoint(target);
  }
  const reopens = typeof target === "function";
  if (reopens || isTransport(target)) {
    refuseOptions(options, "http", "websocket");
    const open = async (): Promise<Transport> => {
      const made: unknown = reopens ? await target() : target;
      if (!isTransport(made)) throw explainMade(made);
      return made;
    };
    return { reopens, open };
  }
  const url = parseServerUrl(target, ["http:", "https:", "ws:", "wss:"]);
  if (url === undefined) throw explainTarget(target);
  const key = url.origin + url.pathname;
  // The query of a URL may hold a token.
  const place = { key, identity: url.href === key ? key : undefined, reopens: true };
  // A group for the other scheme is ignored, so that one set of options serves any URL.
  const { timeout, websocket = {} } = options;
  const http = { acknowledgeTimeout: timeout, ...options.http };
  if (url.protocol.startsWith("ws")) return { ...place, open: async () => createWebSocketChannel(url, websocket) };
  return { ...place, open: async () => openHttpTransport(url, http, olderHttp), http: { url, options: http } };
}

/** Accepts any value, because programs in JavaScript have no types. */
function isCommand(target: unknown): target is CommandTarget {
  return isObject(target) && "command" in target;
}

function isTransport(value: unknown): value is Transport {
  if (!isObject(value) || typeof value["open"] !== "function") return false;
  return typeof value["exchange"] === "function" || typeof value["send"] === "function";
}
