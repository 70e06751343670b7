/**
 * Streamable HTTP, and the HTTP+SSE pair of revision 2024-11-05. Requests go over undici's connection pool in Node, and
 * over `fetch` on every other platform.
 *
 * @packageDocumentation
 */
export { createSsePairChannel } from "../../legacy/http/sse-pair.ts";
export { HttpStatusError } from "./errors.ts";
export type { GivenHeaders, HeadersNow } from "./headers.ts";
export type { Fetch, HttpConnectOptions, HttpTransportOptions, Pem } from "./options.ts";
export { createHttpTransport } from "./transport.ts";
