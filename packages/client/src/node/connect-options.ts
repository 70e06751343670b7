import type { SecureContextOptions } from "node:tls";

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
