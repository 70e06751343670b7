import type { Server } from "@toolwire/server";
import { createHttpHandler } from "@toolwire/server/http";
import { ALLOWED_ORIGIN, KEEP_ALIVE_MS } from "../steps/http-steps.ts";

/** How the server is served wherever there is `Request` and `Response`. */
export function createWebHandler(server: Server): (request: Request) => Promise<Response> {
  const options = { path: "/mcp", allowedOrigins: [ALLOWED_ORIGIN], keepAliveInterval: KEEP_ALIVE_MS };
  return createHttpHandler(server, options).fetch;
}
