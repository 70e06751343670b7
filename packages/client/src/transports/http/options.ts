import { UsageError } from "@toolwire/protocol";
import type { ClientAuth } from "../client-auth.ts";
import type { GivenHeaders } from "./headers.ts";

/** Any function with the shape of the global `fetch`. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/** A certificate or key in PEM, as text or bytes; several of them as an array. */
export type Pem = string | Uint8Array | readonly (string | Uint8Array)[];

/** How Node connects to a server. All but the last two are options of Node's `tls.connect`. */
export interface HttpConnectOptions {
  /** The certificates to trust, in place of Node's own: for a certificate authority of your own. */
  readonly ca?: Pem | undefined;
  /** The client's certificate, for servers that ask for one. */
  readonly cert?: Pem | undefined;
  /** The private key of the client's certificate. */
  readonly key?: Pem | undefined;
  /** The password of the private key. */
  readonly passphrase?: string | undefined;
  /** The name that the server's certificate must have, if it differs from the host of the URL. */
  readonly servername?: string | undefined;
  /** `false` accepts any certificate, even that of an attacker: for tests only. Default true. */
  readonly rejectUnauthorized?: boolean | undefined;
  /** The Unix socket to connect to, in place of the URL's host and port. */
  readonly socketPath?: string | undefined;
  /** How many milliseconds connecting may take. Default 10 000. */
  readonly timeout?: number | undefined;
}

/** The place that a connection is to be opened to. */
export interface ConnectionTarget {
  /** The host name or address, without brackets. */
  readonly hostname: string;
  /** `http:` or `https:`, also for WebSockets. */
  readonly protocol: string;
  /** Empty for the default port of the protocol. */
  readonly port: string;
  /** The name that a certificate must have, if it differs from the host. */
  readonly servername?: string;
}

/**
 * Opens a connection: a socket of `node:net`, or of `node:tls` for `https:`. Calls back with the error, or with `null` and the
 * socket. undici's `buildConnector()` makes such functions; wrap one to decide which addresses may be reached.
 */
export type HttpConnector = (
  target: ConnectionTarget,
  callback: (error: Error | null, socket: object | null) => void,
) => void;

/** How to reach a server over HTTP. */
export interface HttpTransportOptions {
  /** Headers of every request, such as credentials: fixed, or a function that is called before each request. */
  readonly headers?: GivenHeaders | (() => GivenHeaders | Promise<GivenHeaders>) | undefined;
  /** Gets and renews the credentials of requests; see `@toolwire/client/auth`. Excludes a header `authorization`. */
  readonly auth?: ClientAuth | undefined;
  /** A `fetch` of your own, in place of the platform's fastest way to send requests. */
  readonly fetch?: Fetch | undefined;
  /** The largest response, or event of a stream, to accept, in bytes. Default 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How many milliseconds to wait until the server acknowledges a notification. Default 60 000. */
  readonly acknowledgeTimeout?: number | undefined;
  /**
   * How many connections to open for calls; further calls wait for a free one. Streams that stay open do not count.
   * Default 128. Node only, without `fetch`.
   */
  readonly connections?: number | undefined;
  /** How to connect: TLS options, a Unix socket, or a function that opens connections. Node only, without `fetch`. */
  readonly connect?: HttpConnectOptions | HttpConnector | undefined;
}

/** Throws a `UsageError` if options of Node's connection pool are given where there is none. */
export function refuseNodeOptions(options: HttpTransportOptions, reason: string): void {
  for (const name of ["connections", "connect"] as const) {
    if (options[name] === undefined) continue;
    throw new UsageError("INVALID_ARGUMENT", `The option \`${name}\` is for Node's connection pool, ${reason}.`);
  }
}
