/// <reference lib="esnext.disposable" preserve="true" />
import { TransportError } from "@toolwire/protocol";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { expectOption, expectOptions, type OptionNames } from "../../../define/check-options.ts";
import type { AdmissionOptions } from "../../admission/options.ts";
import { isLoopbackAddress } from "../../admission/hosts.ts";
import { bindingOf, type ServerBinding } from "../../../binding.ts";
import type { Server as ToolwireServer } from "../../../define/server.ts";
import type { AddressInfo, Socket } from "node:net";
import { HTTP_HINTS } from "../../../define/other-names.ts";
import { HttpEndpoint } from "../endpoint.ts";
import { HTTP_OPTIONS, resolveCounts, type HttpOptions } from "../options.ts";
import { keepAliveTogether, toNodeHandler } from "./create-node-handler.ts";

/** Where to listen, and what decides who can do something with that. */
export interface ListenOptions extends Pick<AdmissionOptions, "allowedHosts" | "authenticate"> {
  /** 0 takes any port that is free. */
  readonly port: number;
  readonly host: string;
}

/**
 * Begins to listen, and warns of what other machines can then reach or not. Rejects with `CONNECT_FAILED` if the address
 * cannot be had. What fails later, such as a connection for which the system has no file descriptor left, is reported
 * and does not end the process.
 */
export async function listen(http: Server, serving: ServerBinding, options: ListenOptions): Promise<void> {
  const { port, host } = options;
  expectOption("port", port, Number.isInteger(port) && port >= 0 && port <= 0xffff, "a whole number from 0 to 65535");
  expectOption("host", host, typeof host === "string" && host !== "", "a name or an address of this machine");
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: Error): void => {
      reject(new TransportError("CONNECT_FAILED", `Cannot listen on ${host}:${port}: ${cause.message}`, { cause }));
    };
    http.once("error", refuse);
    http.listen(port, host, () => {
      http.off("error", refuse);
      resolve();
    });
  });
  http.on("error", (error) => {
    serving.diagnose({ level: "error", message: `A connection could not be accepted: ${error.message}`, error });
  });
  if (!isLoopbackAddress(host)) warnAboutExposure(serving, options);
}

function warnAboutExposure(serving: ServerBinding, { host, allowedHosts, authenticate }: ListenOptions): void {
  if (allowedHosts === undefined) {
    const message = `Listening on ${host}, but only requests for localhost are answered: set \`allowedHosts\` to the names clients use.`;
    serving.diagnose({ level: "warning", message });
  }
  if (authenticate === undefined) {
    const message = `Listening on ${host} without \`authenticate\`: whoever can reach this port can call every tool.`;
    serving.diagnose({ level: "warning", message });
  }
}

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
export interface HttpServing {
  /** Where clients connect to, such as `http://127.0.0.1:3000/mcp`. */
  readonly url: string;
  readonly port: number;
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
 * import { serveHttp } from "@toolwire/server/node";
 *
 * const { url, close } = await serveHttp(server, { port: 3000 });
 * ```
 */
export async function serveHttp(server: ToolwireServer, options: ServeHttpOptions = {}): Promise<HttpServing> {
  const binding = bindingOf(server, "serveHttp(server, { port: 3000 })");
  expectOptions("serveHttp", options, SERVE_HTTP_OPTIONS, HTTP_HINTS);
  const { port = 3000, host = "127.0.0.1", path = "/mcp" } = options;
  const endpoint = new HttpEndpoint(binding, { ...options, path }, keepAliveTogether);
  const handle = toNodeHandler(endpoint);
  const timeouts = { requestTimeout: 60_000, headersTimeout: 10_000, keepAliveTimeout: 95_000 };
  const { requestTimeout, headersTimeout, keepAliveTimeout } = resolveCounts(timeouts, options);
  const http = createServer({
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    requestTimeout,
    // Node waits a second longer than it says, and complains of what no timer takes.
    keepAliveTimeout: Math.min(keepAliveTimeout, 0x7fff_ffff - 1000),
    connectionsCheckingInterval: Math.min(headersTimeout, 5000),
    // A client that vanished without a word is found out even while nothing is sent to it.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  });
  const sockets = new Set<Socket>();
  http.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  /** The latest answer on each connection. Weak: an answer that waits behind others hears of no end of its connection. */
  const latest = new WeakMap<Socket, ServerResponse>();
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    // It may take a while to find out who asks; until then, nobody else knows of the answer.
    if (options.authenticate !== undefined) latest.set(request.socket, response);
    handle(request, response);
  };
  http.on("request", take);
  // A body that would be refused for its length need not be sent at all.
  http.on("checkContinue", (request, response) => {
    if (!(Number(request.headers["content-length"]) > endpoint.settings.maxBodyBytes)) response.writeContinue();
    take(request, response);
  });
  await listen(http, binding, { ...options, port, host });
  const address = http.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}${path}`,
    port: address.port,
    close,
    [Symbol.asyncDispose]: close,
  };

  function close(): Promise<void> {
    return (closing ??= end());
  }

  async function end(): Promise<void> {
    const { settings, inFlight } = endpoint;
    const deadline = performance.now() + settings.closeTimeout;
    const mayAsk = settings.legacySse !== undefined || inFlight.list().some(({ call }) => call.state !== undefined);
    const finished = handle.close();
    // What clients of these kinds are asked they answer by requests of their own, for which they may have to connect.
    if (mayAsk) await finished;
    // Node takes a connection for idle once its answer is complete, and cuts it, though most of that may be on its way.
    if ([...sockets].some(({ writableLength }) => writableLength > 0)) http.closeIdleConnections = () => undefined;
    const closed = new Promise<void>((resolve) => http.close(() => resolve()));
    http.closeIdleConnections();
    await finished;
    // All answers are complete, but some may still be on their way to clients that read slowly.
    const timer = setTimeout(() => http.closeAllConnections(), Math.max(deadline - performance.now(), 0));
    for (const socket of sockets) {
      const response = latest.get(socket);
      if (response === undefined || response.writableEnded) socket.destroySoon();
      else response.once("close", () => socket.destroySoon());
    }
    await closed;
    clearTimeout(timer);
  }
}
