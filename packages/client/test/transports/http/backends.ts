import type { ExchangeTransport } from "@toolwire/protocol";
import { createHttpTransport, type HttpTransportOptions } from "../../../src/http.ts";

/** Makes a transport for Streamable HTTP that sends by `fetch`, as on platforms other than Node. */
export function createFetchTransport(url: string | URL, options: HttpTransportOptions = {}): ExchangeTransport {
  return createHttpTransport(url, { fetch: (target, init) => fetch(target, init), ...options });
}

/** Makes a transport for Streamable HTTP that sends by undici, as in Node. */
export function createUndiciTransport(url: string | URL, options: HttpTransportOptions = {}): ExchangeTransport {
  return createHttpTransport(url, options);
}
