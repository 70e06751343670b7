/// <reference lib="esnext.disposable" preserve="true" />
import type { OptionNames } from "@toolwire/protocol/internal";
import type { DrainOptions } from "../drain.ts";
import type { HttpHealth } from "../health.ts";
import { HTTP_OPTIONS, type HttpOptions } from "../options.ts";

/** The options of `serveHttp`: where and how to listen. */
export interface ServeHttpOptions extends HttpOptions {
  /** The port to listen on; 0 picks a free one. Default 3000. */
  readonly port?: number | undefined;
  /** The address to listen on. Default `127.0.0.1`, which only this machine can reach. */
  readonly host?: string | undefined;
  /** The path of the endpoint. Default `/mcp`. */
  readonly path?: string | undefined;
  /**
   * Serves with this many processes, which share the port and all sessions; `"auto"` starts one for each core. Each of them runs the
   * main file of the program again, to make a server of its own. Default: this process alone.
   */
  readonly workers?: number | "auto" | undefined;
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

/** A server that listens, as returned by `serveHttp`. */
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

/** Several processes that listen together, as `serveHttp` returns them with the option `workers`. */
export interface WorkersListener extends HttpListener {
  /**
   * Replaces all workers, one after the other, by ones that run the main file anew. The new one serves before the old one stops, and
   * requests in flight are finished. Call it in the process that has started the workers.
   */
  reload(): Promise<void>;
}

export const SERVE_HTTP_OPTIONS: OptionNames<ServeHttpOptions> = {
  port: true,
  workers: true,
  host: true,
  ...HTTP_OPTIONS,
  headersTimeout: true,
  requestTimeout: true,
  keepAliveTimeout: true,
};

/** The URL of an endpoint. */
export function urlOf(host: string, port: number, path: string): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
}
