/// <reference lib="esnext.disposable" preserve="true" />
import { expectOptions } from "@toolwire/protocol/internal";
import type { AddressInfo } from "node:net";
import { bindingOf } from "../../../binding.ts";
import { HTTP_HINTS } from "../../../define/other-names.ts";
import type { Server } from "../../../define/server.ts";
import { createDrain } from "../drain.ts";
import { HttpEndpoint } from "../endpoint.ts";
import { keepAliveTogether } from "../events.ts";
import { acceptRequests, closeServer, createHttpServer } from "./http-server.ts";
import { listen } from "./listen.ts";
import {
  SERVE_HTTP_OPTIONS,
  urlOf,
  type HttpListener,
  type ServeHttpOptions,
  type WorkersListener,
} from "./serve-options.ts";

/**
 * Serves a server over HTTP, on a port of its own. By default, only this machine can reach it.
 *
 * @example
 * ```ts
 * import { serveHttp } from "@toolwire/server/http";
 *
 * const { url, close } = await serveHttp(server, { port: 3000 });
 * ```
 */
export async function serveHttp(
  server: Server,
  options: ServeHttpOptions & { readonly workers: number | "auto" },
): Promise<WorkersListener>;
export async function serveHttp(server: Server, options?: ServeHttpOptions): Promise<HttpListener>;
export async function serveHttp(server: Server, options: ServeHttpOptions = {}): Promise<HttpListener> {
  const binding = bindingOf(server, "serveHttp(server, { port: 3000 })");
  expectOptions("serveHttp", options, SERVE_HTTP_OPTIONS, HTTP_HINTS);
  if (options.workers !== undefined) {
    const { serveByWorkers } = await import("./workers/index.ts");
    return serveByWorkers(binding, options, options.workers);
  }
  const { port = 3000, host = "127.0.0.1", path = "/mcp" } = options;
  const endpoint = new HttpEndpoint(binding, { ...options, path }, keepAliveTogether);
  const http = createHttpServer(options);
  const connections = acceptRequests(http, endpoint);
  try {
    await listen(http, binding, { ...options, port, host });
  } catch (error) {
    await endpoint.close();
    throw error;
  }
  const address = http.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeServer(http, endpoint, connections));
  return {
    url: urlOf(host, address.port, path),
    port: address.port,
    health: () => endpoint.health(),
    drain: createDrain(endpoint, close),
    close,
    [Symbol.asyncDispose]: close,
  };
}
