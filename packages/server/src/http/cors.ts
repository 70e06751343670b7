/** Cross-origin access from browsers (WHATWG Fetch, "CORS protocol"), for pages whose origin is allowed. */
import type { HeaderList } from "./front.ts";

/** Lets a page read an answer, and the headers in it that matter. */
export function corsFields(origin: string): HeaderList {
  return [
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Expose-Headers",
    "Mcp-Session-Id, WWW-Authenticate, Retry-After",
    "Vary",
    "Origin",
  ];
}

/** Lets a page send what clients send. `Mcp-Param-*` headers have no fixed names, so what is asked for is allowed. */
export function preflightFields(requested: string | undefined): HeaderList {
  const allowed = ["Access-Control-Allow-Methods", "GET, POST, DELETE", "Access-Control-Max-Age", "600"];
  return requested === undefined ? allowed : [...allowed, "Access-Control-Allow-Headers", requested];
}
