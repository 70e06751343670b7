/**
 * Serving within Express, or any framework whose handlers take a request and a response of `node:http`.
 *
 * @packageDocumentation
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "../define/server.ts";
import { createNodeHandler, type DrainOptions, type HttpHealth, type HttpOptions } from "../http.ts";

/** A request handler of Express. */
export interface ExpressHandler {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
  /** Takes no new requests, waits for requests in flight, and ends streams and sessions. Call it before the server's. */
  readonly close: () => Promise<void>;
  /** Is not ready any more at once, goes on until load balancers have noticed, and closes. */
  readonly drain: (options?: DrainOptions) => Promise<void>;
  /** How the endpoint is, for a page or a probe of your own. */
  readonly health: () => HttpHealth;
}

/**
 * Makes an Express handler that serves a server. It works with and without `express.json()` in front of it, on any path.
 * It answers every request itself, also those with mistakes, and never calls `next`.
 *
 * @example
 * ```ts
 * import express from "express";
 * import { toExpress } from "@toolwire/server/express";
 *
 * const app = express();
 * app.use("/mcp", toExpress(server));
 * ```
 */
export function toExpress(server: Server, options?: HttpOptions): ExpressHandler {
  const handler = createNodeHandler(server, options);
  // Without the third argument: there, Express passes `next`, and the handler takes a body.
  const handle = (request: IncomingMessage, response: ServerResponse): void => handler(request, response);
  return Object.assign(handle, {
    close: () => handler.close(),
    drain: (drainOptions?: DrainOptions) => handler.drain(drainOptions),
    health: () => handler.health(),
  });
}
