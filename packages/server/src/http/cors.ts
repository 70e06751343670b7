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
