/**
 * Streamable HTTP over undici's connection pool: the fast path on Node.
 *
 * @packageDocumentation
 */
import type { ExchangeTransport } from "@toolwire/protocol";
import { decodeUtf8 } from "../stdio/utf8.ts";
import type { HttpTransportOptions } from "../http/options.ts";
import { HttpTransport } from "../http/transport.ts";
import { createUndiciPort, type UndiciPortOptions } from "./undici-port.ts";

export type { NodeConnectOptions } from "./connect-options.ts";
export type { UndiciPortOptions } from "./undici-port.ts";

/** The options of {@link createNodeHttpTransport}. */
export interface NodeHttpOptions extends Omit<HttpTransportOptions, "fetch">, UndiciPortOptions {}

/** Makes a transport for Streamable HTTP over undici's pool of keep-alive connections. */
export function createNodeHttpTransport(url: string | URL, options: NodeHttpOptions = {}): ExchangeTransport {
  return new HttpTransport(url, options, { port: createUndiciPort(options), decode: decodeUtf8 });
}
