import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Lets pages of every origin send a request and read its response (WHATWG Fetch, "CORS protocol"). Returns whether the browser
 * only asked about it, and has its answer.
 */
export function allowPages({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-expose-headers", "www-authenticate, dpop-nonce, mcp-session-id");
  if (method !== "OPTIONS") return false;
  response.setHeader("access-control-allow-methods", "GET, POST, DELETE");
  response.setHeader("access-control-allow-headers", headers["access-control-request-headers"] ?? "");
  response.writeHead(204).end();
  return true;
}
