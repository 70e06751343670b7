/// <reference lib="esnext.disposable" preserve="true" />
import { UsageError } from "@toolwire/protocol";
import { expectOptions } from "@toolwire/protocol/internal";
import { HTTP_HINTS } from "../../../define/other-names.ts";
import { bindingOf } from "../../../binding.ts";
import type { Server } from "../../../define/server.ts";
import { createDrain, type DrainOptions } from "../drain.ts";
import { HttpEndpoint } from "../endpoint.ts";
import type { HttpHealth } from "../health.ts";
import { HTTP_OPTIONS, type HttpOptions } from "../options.ts";
import { keepAliveSeparately } from "../events.ts";
import { WebRequestAdapter } from "./web-adapter.ts";

/** A handler from `Request` to `Response`, for Bun, Deno, workers and many frameworks. */
export interface HttpHandler {
  /** Answers one request. It needs no `this`, so you can pass it on as it is. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** How it is, for a page or a probe of your own. */
  health(): HttpHealth;
  /**
   * Drains: is not ready any more at once, goes on until load balancers have noticed, and closes. Call it when the process is told to
   * end.
   */
  drain(options?: DrainOptions): Promise<void>;
  /**
   * Takes no new requests, ends subscriptions, and waits for requests in flight, within `closeTimeout`. Meanwhile,
   * clients can still answer what they were asked and reconnect for answers that are not ready yet. Then ends sessions.
   * An answer that was ready before its client reconnected for it is lost.
   */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a handler that serves a server over HTTP with web standards only: `Request` in, `Response` out. It needs
 * nothing from Node. One endpoint serves both eras. A `Request` does not show its connection, so without `authenticate` all
 * clients that have no session count as one, and limits per client do not apply to them.
 *
 * @example
 * ```ts
 * import { createHttpHandler } from "@toolwire/server/http";
 *
 * const handler = createHttpHandler(server, { allowedHosts: ["mcp.example.com"] });
 * export default { fetch: handler.fetch };
 * ```
 */
export function createHttpHandler(server: Server, options: HttpOptions = {}): HttpHandler {
  const binding = bindingOf(server, "createHttpHandler(server)");
  expectOptions("createHttpHandler", options, HTTP_OPTIONS, HTTP_HINTS);
  const endpoint = new HttpEndpoint(binding, options, keepAliveSeparately);
  return {
    fetch(request) {
      if (!isWebRequest(request)) return Promise.reject(noWebRequest());
      const adapter = new WebRequestAdapter(request);
      endpoint.accept(adapter);
      return adapter.response;
    },
    health: () => endpoint.health(),
    drain: createDrain(endpoint, () => endpoint.close()),
    close: () => endpoint.close(),
    [Symbol.asyncDispose]: () => endpoint.close(),
  };
}

function isWebRequest(request: unknown): request is Request {
  return typeof (request as Partial<Request> | undefined)?.headers?.get === "function";
}

function noWebRequest(): UsageError {
  const message = "fetch() takes a web `Request`. For node:http, Express and Fastify, use createNodeHandler(server).";
  return new UsageError("INVALID_ARGUMENT", message);
}
