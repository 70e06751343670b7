import { createHttpHandler } from "@toolwire/server/http";
import { createGuardedFixture, createProtection, type Guard } from "../fixture/guard.ts";
import { createFixture } from "../fixture/server.ts";
import { ALLOWED_ORIGIN, KEEP_ALIVE_MS } from "../steps/http-steps.ts";

/** How the server is served wherever there is `Request` and `Response`: open, or protected by a guard. */
export function createWebHandler(guard: Guard | undefined): (request: Request) => Promise<Response> {
  const options = { path: "/mcp", allowedOrigins: [ALLOWED_ORIGIN], keepAliveInterval: KEEP_ALIVE_MS };
  if (guard === undefined) return createHttpHandler(createFixture(), options).fetch;
  return createHttpHandler(createGuardedFixture(), { ...options, auth: createProtection(guard) }).fetch;
}
