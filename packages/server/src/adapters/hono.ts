/**
 * Serving within Hono, on every platform that Hono runs on.
 *
 * @packageDocumentation
 */
import type { Server } from "../define/server.ts";
import { createHttpHandler, type DrainOptions, type HttpHealth, type HttpOptions } from "../http-without-node.ts";

/** The members of a Hono context that are used here. */
export interface HonoContextLike {
  readonly req: {
    readonly raw: Request;
    text(): Promise<string>;
  };
}

/** A handler of Hono. */
export interface HonoHandler {
  (context: HonoContextLike): Promise<Response>;
  /** Takes no new requests, waits for requests in flight, and ends streams and sessions. */
  readonly close: () => Promise<void>;
  /** Is not ready any more at once, goes on until load balancers have noticed, and closes. */
  readonly drain: (options?: DrainOptions) => Promise<void>;
  /** How the endpoint is, for a page or a probe of your own. */
  readonly health: () => HttpHealth;
}

/**
 * Makes a Hono handler that serves a server. It works with and without middleware that has read the body.
 *
 * @example
 * ```ts
 * import { Hono } from "hono";
 * import { toHono } from "@toolwire/server/hono";
 *
 * const app = new Hono();
 * app.all("/mcp", toHono(server, { allowedHosts: ["mcp.example.com"] }));
 * ```
 */
export function toHono(server: Server, options?: HttpOptions): HonoHandler {
  const handler = createHttpHandler(server, options);
  const handle = async ({ req }: HonoContextLike): Promise<Response> => {
    if (!req.raw.bodyUsed) return handler.fetch(req.raw);
    // Hono keeps a body that middleware has read.
    const { url, method, headers, signal } = req.raw;
    return handler.fetch(new Request(url, { method, headers, signal, body: await req.text() }));
  };
  return Object.assign(handle, {
    close: () => handler.close(),
    drain: (drainOptions?: DrainOptions) => handler.drain(drainOptions),
    health: () => handler.health(),
  });
}
