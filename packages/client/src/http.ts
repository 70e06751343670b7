/**
 * Streamable HTTP, and the HTTP+SSE pair of revision 2024-11-05. Requests go over undici's connection pool in Node, and
 * over `fetch` on every other platform.
 *
 * @packageDocumentation
 */
import type { ExchangeTransport } from "@toolwire/protocol";
import { ERAS } from "./all-eras.ts";
import { findOlderHttp } from "./eras/era.ts";
import type { HttpTransportOptions } from "./transports/http/options.ts";
import { openHttpTransport } from "./transports/http/transport.ts";

export { createSsePairChannel } from "./legacy/http/sse-pair.ts";
export type { AuthFields, AuthRefusal, AuthRequest, AuthServer, ClientAuth } from "./transports/client-auth.ts";
export { HttpStatusError } from "./transports/http/errors.ts";
export type { GivenHeaders, HeadersNow } from "./transports/http/headers.ts";
export type {
  ConnectionTarget,
  Fetch,
  HttpConnectOptions,
  HttpConnector,
  HttpTransportOptions,
  Pem,
} from "./transports/http/options.ts";

/** Makes a transport for Streamable HTTP: over undici's connection pool in Node, over `fetch` everywhere else. */
export function createHttpTransport(url: string | URL, options: HttpTransportOptions = {}): ExchangeTransport {
  return openHttpTransport(url, options, findOlderHttp(ERAS));
}
