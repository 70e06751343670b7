/**
 * Streamable HTTP by `fetch`: for browsers, workers and edge runtimes. On Node, `@toolwire/client/node` is faster.
 *
 * @packageDocumentation
 */
export type { Fetch } from "./fetch-backend.ts";
export { createSsePairChannel } from "../../legacy/http/sse-pair.ts";
export { HttpStatusError } from "./errors.ts";
export type { GivenHeaders, HeadersNow } from "./headers.ts";
export type { HttpTransportOptions } from "./transport.ts";
export { createHttpTransport } from "./transport.ts";
