/**
 * Streamable HTTP by `fetch`: for browsers, workers and edge runtimes. On Node, `@toolwire/client/node` is faster.
 *
 * @packageDocumentation
 */
export type { Fetch } from "./fetch-port.ts";
export { createSsePairChannel } from "./legacy/sse-pair.ts";
export { HttpStatusError } from "./status-error.ts";
export type { GivenHeaders, HeadersNow } from "./given-headers.ts";
export type { HttpTransportOptions } from "./options.ts";
export { createHttpTransport } from "./transport.ts";
