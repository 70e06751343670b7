import type { Channel, ExchangeTransport } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { commandEndpoint } from "#command";
import { refuseOptions } from "../check-options.ts";
import type { ObservedPlace } from "../guarded-observer.ts";
import { parseServerUrl } from "../server-url.ts";
import type { HttpTransportOptions } from "../transports/http/options.ts";
import { openHttpTransport, type HttpEra } from "../transports/http/transport.ts";
import type { SpawnOptions } from "../transports/stdio/spawn-server.ts";
import { type AuthServer, type ClientAuth, httpUrlOf, timeAuth } from "../transports/client-auth.ts";
import type { PausedTime } from "../waiting.ts";
import { createWebSocketChannel, type WebSocketOptions } from "../transports/websocket/create-channel.ts";
import { type Advice, explainMade, explainTarget } from "./explain-target.ts";

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
  /** Gets and renews the credentials of requests, over HTTP and WebSocket; see `@toolwire/client/auth`. */
  readonly auth?: ClientAuth | undefined;
  /** How to reach a server over HTTP, for `http:` and `https:` URLs. */
  readonly http?: HttpTransportOptions | undefined;
  /** How to open a WebSocket, for `ws:` and `wss:` URLs. */
  readonly websocket?: WebSocketOptions | undefined;
}

/**
 * The options of transports that only URLs have. The type exists for the compiler's messages: it refuses these options for any
 * other target, as `connect()` does at run time.
 */
export interface NoTransportOptions {
  /** @deprecated Only for URLs: nobody logs in to a process or a channel. */
  readonly auth?: Advice<"only for a URL, with a provider of `@toolwire/client/auth`"> | undefined;
  /** @deprecated Only for `http:` and `https:` URLs. */
  readonly http?: Advice<"only for a URL, with HttpTransportOptions"> | undefined;
  /** @deprecated Only for `ws:` and `wss:` URLs. */
  readonly websocket?: Advice<"only for a URL, with WebSocketOptions"> | undefined;
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
  /** The milliseconds so far in which requests waited for credentials. They count for no timeout. */
  readonly pausedTime?: PausedTime;
  /** The server as authorization knows it, if requests get credentials. */
  readonly authServer?: AuthServer | undefined;
  /** Whether it can be opened more than once. */
  readonly reopens: boolean;
  open(): Promise<Transport>;
  /** Where it is, as observers get to know it. Absent for transports of the application's own. */
  readonly place?: ObservedPlace;
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
    refuseOptions(options, "auth", "http", "websocket");
    return commandEndpoint(target);
  }
  const reopens = typeof target === "function";
  if (reopens || isTransport(target)) {
    refuseOptions(options, "auth", "http", "websocket");
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
  const identity = url.href === key ? key : undefined;
  const auth = options.auth && timeAuth(options.auth);
  const authServer = auth && { url: httpUrlOf(url), http: options.http ?? {} };
  const shared = { key, identity, reopens: true, pausedTime: auth?.pausedTime, authServer, place: placeOf(url) };
  // A group for the other scheme is ignored, so that one set of options serves any URL.
  const { timeout } = options;
  const websocket = { ...options.websocket, ...(auth && { auth }) };
  const http = { acknowledgeTimeout: timeout, ...options.http, ...(auth && { auth }) };
  if (url.protocol.startsWith("ws")) return { ...shared, open: async () => createWebSocketChannel(url, websocket) };
  return { ...shared, open: async () => openHttpTransport(url, http, olderHttp), http: { url, options: http } };
}

function placeOf({ protocol, hostname, port }: URL): ObservedPlace {
  const isSecure = protocol === "https:" || protocol === "wss:";
  const binding = protocol.startsWith("ws") ? "websocket" : "http";
  return { binding, host: hostname, port: port === "" ? (isSecure ? 443 : 80) : Number(port) };
}

/** Accepts any value, because programs in JavaScript have no types. */
function isCommand(target: unknown): target is CommandTarget {
  return isObject(target) && "command" in target;
}

function isTransport(value: unknown): value is Transport {
  if (!isObject(value) || typeof value["open"] !== "function") return false;
  return typeof value["exchange"] === "function" || typeof value["send"] === "function";
}
