import {
  expectChoice,
  expectLimit,
  expectOption,
  expectPath,
  LONGEST_TIMER,
  type OptionNames,
} from "@toolwire/protocol/internal";
import type { Cluster } from "../../cluster/cluster.ts";
import { expectCluster } from "../../cluster/options.ts";
import { type AdmissionSettings, readAdmissionOptions } from "../admission/hosts.ts";
import type { AdmissionOptions, RequestHead } from "../admission/options.ts";
import type { OlderHttpOptions } from "./era.ts";
import { type HealthOptions, type HealthSettings, readHealthOptions } from "./health.ts";
import { expectPublisher, type ServerPublisher } from "./published.ts";

/** Makes the response to a person who opens an endpoint in a browser. */
export type LandingPage = (request: RequestHead) => Response | Promise<Response>;

/** How to serve over HTTP. The defaults are safe. Limits and times are whole numbers; `Infinity` turns one off. */
export interface HttpOptions extends AdmissionOptions {
  /**
   * The path of the endpoint; a trailing slash makes no difference. Requests for other paths get a 404. If a framework
   * mounts the handler, as a router of Express does, write the path below that, or in full. Default: every path that is
   * routed here.
   */
  readonly path?: string | undefined;
  /** The largest request body in bytes; larger ones get a 413. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * `"sse"` answers every request with an event stream, if the client accepts one. Default `"auto"`: a stream only if
   * there is more to send than the answer.
   */
  readonly responseMode?: "auto" | "sse" | undefined;
  /**
   * How often, in milliseconds, quiet event streams get a comment, so that no proxy or server closes them. Default
   * 4000: some servers, such as Bun's, close a connection that was quiet for 10 seconds.
   */
  readonly keepAliveInterval?: number | undefined;
  /**
   * How many bytes may wait on one event stream for a client that does not read, before the stream is dropped. Default
   * 1 MiB.
   */
  readonly maxQueuedBytes?: number | undefined;
  /**
   * How many requests may be in flight at once, including open subscriptions. More get a 503. A request counts until its
   * handler has stopped, even if it was cancelled or timed out, and its answer has left the process. Default 10 000.
   */
  readonly maxInFlight?: number | undefined;
  /**
   * How many requests of one client may be in flight at once. An authenticated caller is one client on all its
   * connections. Otherwise a client is a session, or else a connection, which `createHttpHandler` does not know: there
   * it does not limit clients without a session. More get a 429. Default 256.
   */
  readonly maxInFlightPerClient?: number | undefined;
  /**
   * How clients of 2025-11-25 and earlier are served: sessions, resumption, and the HTTP+SSE transport. `false` serves modern
   * clients only. Default: sessions with an event store in memory, without HTTP+SSE.
   */
  readonly legacy?: OlderHttpOptions | false | undefined;
  /**
   * What this process shares with others that serve the same clients, as `@toolwire/redis` and `@toolwire/postgres` make it. Then any
   * of them can serve any request. Default: nothing is shared.
   */
  readonly cluster?: Cluster | undefined;
  /**
   * Paths that say whether the process lives, and whether requests should be sent here, whatever their `Host` and without credentials.
   * `true` for `/livez` and `/readyz`. Default: none.
   */
  readonly health?: boolean | HealthOptions | undefined;
  /**
   * The page that a person gets who opens the endpoint in a browser: a GET that prefers `text/html`. The default one says what the
   * server is, lists the tools that everybody may see, and how to connect; with `auth` or `authenticate`, it says only that credentials
   * are needed. `false` turns it off. A function makes another response, which callers see without credentials.
   */
  readonly landingPage?: boolean | LandingPage | undefined;
  /**
   * Publishes a card of the server, by which clients find it before they connect: `serverCard({ … })` of `@toolwire/server/server-card` makes
   * it. Everybody can read it, also with `auth` or `authenticate`. Default: there is none.
   */
  readonly serverCard?: ServerPublisher | undefined;
  /** How many milliseconds `close()` waits for requests in flight, and for clients to read answers. Default 5000. */
  readonly closeTimeout?: number | undefined;
}

/** The options of the endpoint itself with all defaults filled in. */
export interface HttpSettings extends AdmissionSettings, Pick<HttpOptions, "path"> {
  readonly maxBodyBytes: number;
  readonly prefersEvents: boolean;
  readonly keepAliveInterval: number;
  readonly maxQueuedBytes: number;
  readonly maxInFlight: number;
  readonly maxInFlightPerClient: number;
  readonly cluster: Cluster | undefined;
  readonly health: HealthSettings | undefined;
  readonly landingPage: boolean | LandingPage;
  readonly serverCard: ServerPublisher | undefined;
  readonly closeTimeout: number;
}

const DEFAULTS = {
  maxBodyBytes: 4 * 1024 * 1024,
  keepAliveInterval: 4000,
  maxQueuedBytes: 1024 * 1024,
  maxInFlight: 10_000,
  maxInFlightPerClient: 256,
};

/** The names of {@link HttpOptions}. */
export const HTTP_OPTIONS: OptionNames<HttpOptions> = {
  path: true,
  allowedHosts: true,
  allowedOrigins: true,
  auth: true,
  authenticate: true,
  maxBodyBytes: true,
  responseMode: true,
  keepAliveInterval: true,
  maxQueuedBytes: true,
  maxInFlight: true,
  maxInFlightPerClient: true,
  legacy: true,
  cluster: true,
  health: true,
  landingPage: true,
  serverCard: true,
  closeTimeout: true,
};

/** Fills in the defaults. Throws a `UsageError` for values that make no sense. */
export function resolveSettings(options: HttpOptions): HttpSettings {
  const { path } = options;
  return {
    path: path === undefined ? path : expectPath("path", path).replace(/\/$/, ""),
    ...readAdmissionOptions(options),
    cluster: expectCluster("cluster", options.cluster),
    health: readHealthOptions(options.health),
    landingPage: readLandingPage(options.landingPage),
    serverCard: expectPublisher("serverCard", options.serverCard),
    prefersEvents: expectChoice("responseMode", ["auto", "sse"], options.responseMode) === "sse",
    ...resolveCounts(DEFAULTS, options),
    ...resolveCounts({ closeTimeout: 5000 }, options, { least: 0 }),
  };
}

function readLandingPage(landingPage: HttpOptions["landingPage"] = true): boolean | LandingPage {
  const fits = typeof landingPage === "boolean" || typeof landingPage === "function";
  return expectOption("landingPage", landingPage, fits, "true, false, or a function that returns a Response");
}

/** Checks the numbers that were given, and fills in the defaults. `prefix` names the group of options in errors. */
export function resolveCounts<Name extends string>(
  defaults: { readonly [N in Name]: number },
  given: { readonly [N in NoInfer<Name>]?: number | undefined },
  { prefix = "", least = 1 }: { readonly prefix?: string; readonly least?: number } = {},
): { [N in Name]: number } {
  const counts: { [N in Name]: number } = { ...defaults };
  for (const name of Object.keys(defaults) as Name[]) {
    // Some of these numbers are times of timers, which support no longer time. As a limit, this is as good as none.
    counts[name] = Math.min(expectLimit(prefix + name, given[name], defaults[name], least), LONGEST_TIMER);
  }
  return counts;
}
