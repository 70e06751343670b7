import {
  expectBoolean,
  expectCount,
  expectFunction,
  expectMilliseconds,
  expectOption,
  expectOptions,
  isObject,
  type OptionNames,
} from "@toolwire/protocol/internal";
import type { HttpDiagnostic } from "./diagnostics.ts";

/** Where requests may go. */
export interface NetworkPolicy {
  /**
   * Addresses that are allowed although they are not public: networks such as `10.1.0.0/16`, addresses such as `10.1.2.3`, names
   * such as `api.internal`, and `localhost`. Default: none, so only public addresses are reached.
   */
  readonly allow?: readonly string[] | undefined;
  /** The only hosts that are reached, such as `api.example.com` or `api.example.com:8443`. Default: those that tools name. */
  readonly hosts?: readonly string[] | undefined;
  /** The only ports that are reached. Default: those that tools name. */
  readonly ports?: readonly number[] | undefined;
}

/** Options of TLS, as Node's `tls.connect` has them. */
export interface HttpTlsOptions {
  /** The certificates to trust, in place of Node's own: for a certificate authority of your own. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** The client's certificate, for APIs that ask for one. */
  readonly cert?: string | Uint8Array | undefined;
  /** The private key of the client's certificate. */
  readonly key?: string | Uint8Array | undefined;
  readonly passphrase?: string | undefined;
  /** `false` accepts any certificate, even that of an attacker: for tests only. Default true. */
  readonly rejectUnauthorized?: boolean | undefined;
}

/** Looks up the addresses of a host. */
export type LookUpHost = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** The options of `createHttpCaller`. */
export interface HttpCallerOptions {
  readonly network?: NetworkPolicy | undefined;
  /** How many connections to open to one origin. Default 64. */
  readonly maxConnections?: number | undefined;
  /** How many calls may wait for a connection to one origin. Further calls fail at once. Default 1024. */
  readonly maxWaiting?: number | undefined;
  /** How many milliseconds connecting may take. Default 5 000. Node only. */
  readonly connectTimeout?: number | undefined;
  /** How many milliseconds an API may take to begin its response. Default 30 000. */
  readonly firstByteTimeout?: number | undefined;
  /** How many redirects to follow: within the same origin, of GET and HEAD requests. Default 0, at most 3. */
  readonly maxRedirects?: number | undefined;
  /** Whether to ask for compressed responses. Default true. */
  readonly compression?: boolean | undefined;
  /** Certificates. Node only. */
  readonly tls?: HttpTlsOptions | undefined;
  /** Looks up hosts, in place of the system. Its answers are checked like any other. Node only. */
  readonly lookup?: LookUpHost | undefined;
  /**
   * Is told what operators should know, such as an address that was refused, and how to allow it. Callers of tools are not told.
   * Default: refusals are warnings of the process.
   */
  readonly onDiagnostic?: ((diagnostic: HttpDiagnostic) => void) | undefined;
}

/** The options with their defaults. */
export interface CheckedCallerOptions extends HttpCallerOptions {
  readonly network: NetworkPolicy;
  readonly maxConnections: number;
  readonly maxWaiting: number;
  readonly connectTimeout: number;
  readonly firstByteTimeout: number;
  readonly maxRedirects: number;
  readonly compression: boolean;
}

const CALLER_OPTIONS: OptionNames<HttpCallerOptions> = {
  network: true,
  maxConnections: true,
  maxWaiting: true,
  connectTimeout: true,
  firstByteTimeout: true,
  maxRedirects: true,
  compression: true,
  tls: true,
  lookup: true,
  onDiagnostic: true,
};

const NETWORK_OPTIONS: OptionNames<NetworkPolicy> = { allow: true, hosts: true, ports: true };

const MOST_REDIRECTS = 3;

/** Checks options, and fills in defaults. */
export function expectCallerOptions(options: HttpCallerOptions = {}): CheckedCallerOptions {
  expectOptions("createHttpCaller", options, CALLER_OPTIONS);
  const { network = {}, tls, lookup, onDiagnostic } = options;
  expectOptions("network", network, NETWORK_OPTIONS);
  for (const name of ["allow", "hosts", "ports"] as const) {
    const list: unknown = network[name];
    const type = name === "ports" ? "number" : "string";
    const fits = list === undefined || (Array.isArray(list) && list.every((entry) => typeof entry === type));
    expectOption(`network.${name}`, list, fits, `a list of ${name === "ports" ? "numbers" : "texts"}`);
  }
  if (tls !== undefined) expectOption("tls", tls, isObject(tls), "an object");
  if (lookup !== undefined) expectFunction("lookup", lookup);
  if (onDiagnostic !== undefined) expectFunction("onDiagnostic", onDiagnostic);
  const maxRedirects = expectCount("maxRedirects", options.maxRedirects ?? 0, 0);
  expectOption("maxRedirects", maxRedirects, maxRedirects <= MOST_REDIRECTS, `at most ${MOST_REDIRECTS}`);
  return {
    ...options,
    network,
    maxConnections: expectCount("maxConnections", options.maxConnections ?? 64),
    maxWaiting: expectCount("maxWaiting", options.maxWaiting ?? 1024, 0),
    connectTimeout: expectMilliseconds("connectTimeout", options.connectTimeout, 5000, 1),
    firstByteTimeout: expectMilliseconds("firstByteTimeout", options.firstByteTimeout, 30_000, 1),
    maxRedirects,
    compression: expectBoolean("compression", options.compression, true),
  };
}
