/**
 * Streamable HTTP over undici's connection pool: the fast path on Node.
 *
 * @packageDocumentation
 */
import type { SecureContextOptions } from "node:tls";
import type { Channel, ExchangeTransport } from "@toolwire/protocol";
import { createSsePairChannel } from "../../../legacy/http/sse-pair.ts";
import { HttpTransport, type HttpTransportOptions } from "../transport.ts";
import { decodeUtf8 } from "../../stdio/spawn-server.ts";
import { createUndiciPort, type UndiciPortOptions } from "./undici-backend.ts";

/** How connections to a server are made. All but the last two are TLS options of Node's `tls.connect`. */
export interface NodeConnectOptions {
  /** The certificates to trust (PEM), in place of Node's own: for a certificate authority of your own. */
  readonly ca?: SecureContextOptions["ca"];
  /** The client's certificate and its key (PEM), for servers that ask for one. */
  readonly cert?: SecureContextOptions["cert"];
  readonly key?: SecureContextOptions["key"];
  readonly passphrase?: string | undefined;
  /** The name that the server's certificate must have, if it differs from the host of the URL. */
  readonly servername?: string;
  /** `false` accepts any certificate, even that of an attacker: for tests only. Default true. */
  readonly rejectUnauthorized?: boolean | undefined;
  /** The Unix socket to connect to, in place of the URL's host and port. */
  readonly socketPath?: string;
  /** How many milliseconds connecting may take. Default 10 000. */
  readonly timeout?: number;
}

/**
 * The HTTP+SSE pair as Node opens it: its `fetch` would end a stream that has been quiet for five minutes, and every
 * call with it.
 */
export function createNodeSsePairChannel(url: URL, options: HttpTransportOptions): Channel {
  return createSsePairChannel(url, options, { port: createUndiciPort(), decode: decodeUtf8 });
}

export type { UndiciPortOptions } from "./undici-backend.ts";

/** The options of {@link createNodeHttpTransport}. */
export interface NodeHttpOptions extends Omit<HttpTransportOptions, "fetch">, UndiciPortOptions {}

/** Makes a transport for Streamable HTTP over undici's pool of keep-alive connections. */
export function createNodeHttpTransport(url: string | URL, options: NodeHttpOptions = {}): ExchangeTransport {
  return new HttpTransport(url, options, { port: createUndiciPort(options), decode: decodeUtf8 });
}
