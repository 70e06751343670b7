import type { Channel, ExchangeTransport } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { refuse } from "../check-options.ts";
import type { ConnectOptions } from "../options.ts";
import { parseServerUrl } from "../transports/server-url.ts";
import type { SpawnOptions } from "../transports/stdio/spawn-server.ts";
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

/** Makes transports; browsers and Node have different ones. */
export interface Openers {
  http(url: URL, options: ConnectOptions): Promise<Transport>;
  /** The HTTP+SSE pair of 2024-11-05. */
  ssePair(url: URL, options: ConnectOptions): Promise<Transport>;
  webSocket(url: URL, options: ConnectOptions): Promise<Transport>;
  command(target: CommandTarget, options: ConnectOptions): Endpoint;
}

/** A way to one server. */
export interface Endpoint {
  /** What its era is remembered under; absent for transports, of which nothing is known. */
  readonly key?: string;
  /** What tells it from all others whose answers may differ; absent if nothing does but a secret, as caches get to see it. */
  readonly identity?: string | undefined;
  /** Whether it can be opened more than once. */
  readonly reopens: boolean;
  open(): Promise<Transport>;
  /** Opens the older way to the same server, where there is one. */
  readonly openOlder?: (() => Promise<Transport>) | undefined;
}

/** Finds out what kind of target this is. Throws a `UsageError` that says what was meant, if it is none. */
export function toEndpoint(target: ConnectTarget, options: ConnectOptions, openers: Openers): Endpoint {
  if (isCommand(target)) return openers.command(target, options);
  const reopens = typeof target === "function";
  if (reopens || isTransport(target)) {
    const open = async (): Promise<Transport> => {
      await refuse(options, "headers", "fetch", "maxMessageBytes");
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
  const way = { key, identity: url.href === key ? key : undefined, reopens: true };
  if (url.protocol.startsWith("ws")) return { ...way, open: () => openers.webSocket(url, options) };
  return { ...way, open: () => openers.http(url, options), openOlder: () => openers.ssePair(url, options) };
}

/** Whoever writes JavaScript may have given anything. */
function isCommand(target: unknown): target is CommandTarget {
  return isObject(target) && "command" in target;
}

function isTransport(value: unknown): value is Transport {
  if (!isObject(value) || typeof value["open"] !== "function") return false;
  return typeof value["exchange"] === "function" || typeof value["send"] === "function";
}
