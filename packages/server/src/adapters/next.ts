/**
 * Serving within Next.js, as the handlers of a route.
 *
 * @packageDocumentation
 */
import type { Server } from "../define/server.ts";
import { createHttpHandler, type HttpOptions } from "../http-without-node.ts";

/** A route handler of the App Router of Next.js. */
export type NextRouteHandler = (request: Request) => Promise<Response>;

/** The handlers of one route, by the method that each is exported as. */
export interface NextRoutes {
  readonly GET: NextRouteHandler;
  readonly POST: NextRouteHandler;
  readonly DELETE: NextRouteHandler;
  /** For pages of other origins: answers the preflight requests of browsers. */
  readonly OPTIONS: NextRouteHandler;
  /** Takes no new requests, waits for requests in flight, and ends streams and sessions. Do not export it. */
  readonly close: () => Promise<void>;
}

/**
 * Makes the handlers of a Next.js route that serves a server. Sessions of legacy clients live in the memory of one process:
 * where Next.js runs as functions of a platform, serve modern clients, or legacy ones with `legacy: { sessions: false }`.
 *
 * @example
 * ```ts
 * // app/mcp/route.ts
 * import { toNextRoutes } from "@toolwire/server/next";
 *
 * export const { GET, POST, DELETE } = toNextRoutes(server, { allowedHosts: ["example.com"] });
 * ```
 */
export function toNextRoutes(server: Server, options?: HttpOptions): NextRoutes {
  const handler = createHttpHandler(server, options);
  const handle: NextRouteHandler = (request) => handler.fetch(request);
  return { GET: handle, POST: handle, DELETE: handle, OPTIONS: handle, close: () => handler.close() };
}
