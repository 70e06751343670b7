import type { SecureContextOptions } from "node:tls";

/** How connections to a server are made. All but the last two are about TLS, as `tls.connect` of Node knows them. */
export interface NodeConnectOptions {
  /** The certificates to trust (PEM), in place of those that Node does: for authorities of your own. */
  readonly ca?: SecureContextOptions["ca"];
  /** The client's certificate and its key (PEM), for servers that ask for one. */
  readonly cert?: SecureContextOptions["cert"];
  readonly key?: SecureContextOptions["key"];
  readonly passphrase?: string | undefined;
  /** The name that the server's certificate must have, where that is not the host of the URL. */
  readonly servername?: string;
  /** `false` believes any server, and whoever is in between: for tests alone. Default true. */
  readonly rejectUnauthorized?: boolean | undefined;
  /** The Unix socket to connect to, in place of host and port of the URL. */
  readonly socketPath?: string;
  /** Milliseconds that connecting may take. Default 10 000. */
  readonly timeout?: number;
}
