import { isObject } from "@toolwire/protocol/internal";
import {
  expectChoice,
  expectKnownNames,
  expectLimit,
  expectOption,
  expectPath,
  type OptionNames,
} from "../../define/check-options.ts";
import type { AdmissionOptions } from "../admission/options.ts";
import { readAdmissionOptions } from "../admission/hosts.ts";
import { defaultShare } from "../admission/callers.ts";
import type { EventStore } from "../../legacy/http/event-store.ts";

/** Limits of sessions, which clients of 2025-11-25 and earlier open with `initialize`. */
export interface SessionOptions {
  /**
   * How many sessions may be open at once. If there are more, the one that was quiet longest ends, if it was quiet for a
   * minute; otherwise the new one gets a 503. A client that has more than a hundredth of all, and more than 10, gives up
   * one of its own first. Default 10 000.
   */
  readonly max?: number | undefined;
  /**
   * How many sessions one client may have open, and how many streams of `legacySse`. If it opens more, its own session that
   * was quiet longest ends, if it was quiet for a minute; otherwise it gets a 429. A client is an authenticated caller, or
   * else a public IPv4 address or IPv6 network (/64). Clients at private addresses, where a proxy may be, and those of
   * `createHttpHandler` are not counted one by one unless they are authenticated. Behind a proxy with a public address,
   * authenticate, or raise this. Default: a tenth of `max`, but at least 10.
   */
  readonly maxPerClient?: number | undefined;
  /** How many milliseconds a session may go without any connection before it ends. Default 1 800 000 (30 minutes). */
  readonly idleTimeout?: number | undefined;
  /** How many standalone streams (HTTP GET) one session may have open. A further one replaces the oldest. Default 4. */
  readonly maxStreams?: number | undefined;
}

/** The two endpoints of the HTTP+SSE transport of 2024-11-05. */
export interface LegacySseOptions {
  /** Where clients open the stream of events. Default `/sse`. */
  readonly streamPath?: string | undefined;
  /** Where clients post their messages. Default `/messages`. */
  readonly messagePath?: string | undefined;
}

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
   * Sessions for legacy clients. `false` keeps none, so that any of several machines can answer any request. Legacy
   * clients then get no change notifications and no log messages and cannot be asked questions, and the server does not
   * announce these capabilities to them.
   */
  readonly sessions?: SessionOptions | false | undefined;
  /** Keeps the events of sessions for clients that reconnect. `false` keeps none. Default: bounded memory. */
  readonly eventStore?: EventStore | false | undefined;
  /** How many milliseconds clients should wait before they reconnect to a stream. Default 1000. */
  readonly retryDelay?: number | undefined;
  /** Also offers the HTTP+SSE transport of 2024-11-05, at `/sse` and `/messages` or the given paths. Default false. */
  readonly legacySse?: boolean | LegacySseOptions | undefined;
  /** How many milliseconds `close()` waits for requests in flight, and for clients to read answers. Default 5000. */
  readonly closeTimeout?: number | undefined;
}

/** The options with all defaults filled in. */
export interface HttpSettings extends AdmissionOptions, Pick<HttpOptions, "path" | "eventStore"> {
  readonly maxBodyBytes: number;
  readonly prefersEvents: boolean;
  readonly keepAliveInterval: number;
  readonly maxQueuedBytes: number;
  readonly maxInFlight: number;
  readonly maxInFlightPerClient: number;
  readonly sessions: Required<{ readonly [K in keyof SessionOptions]: number }> | undefined;
  readonly retryDelay: number;
  readonly legacySse: { readonly streamPath: string; readonly messagePath: string } | undefined;
  readonly closeTimeout: number;
}

const DEFAULTS = {
  maxBodyBytes: 4 * 1024 * 1024,
  keepAliveInterval: 4000,
  maxQueuedBytes: 1024 * 1024,
  maxInFlight: 10_000,
  maxInFlightPerClient: 256,
  retryDelay: 1000,
};

const SESSION_DEFAULTS = { max: 10_000, idleTimeout: 30 * 60_000, maxStreams: 4 };

/** The names of {@link HttpOptions}. */
export const HTTP_OPTIONS: OptionNames<HttpOptions> = {
  path: true,
  allowedHosts: true,
  allowedOrigins: true,
  authenticate: true,
  maxBodyBytes: true,
  responseMode: true,
  keepAliveInterval: true,
  maxQueuedBytes: true,
  maxInFlight: true,
  maxInFlightPerClient: true,
  sessions: true,
  eventStore: true,
  retryDelay: true,
  legacySse: true,
  closeTimeout: true,
};

const SESSION_OPTIONS: OptionNames<SessionOptions> = {
  max: true,
  maxPerClient: true,
  idleTimeout: true,
  maxStreams: true,
};

const SSE_OPTIONS: OptionNames<LegacySseOptions> = { streamPath: true, messagePath: true };

/** Fills in the defaults. Throws a `UsageError` for values that make no sense. */
export function resolveSettings(options: HttpOptions): HttpSettings {
  const { path, eventStore, sessions = {}, legacySse = false } = options;
  expectOption("sessions", sessions, sessions === false || isObject(sessions), "an object of limits, or false");
  if (sessions !== false) expectKnownNames("sessions", sessions, SESSION_OPTIONS);
  const isStore = isObject(eventStore) && "append" in eventStore && "after" in eventStore && "forget" in eventStore;
  expectOption(
    "eventStore",
    eventStore,
    isStore || eventStore === undefined || eventStore === false,
    "an event store, or false",
  );
  const isChoice = typeof legacySse === "boolean" || isObject(legacySse);
  expectOption("legacySse", legacySse, isChoice, "an object of paths, or a boolean");
  if (typeof legacySse === "object") expectKnownNames("legacySse", legacySse, SSE_OPTIONS);
  const { streamPath = "/sse", messagePath = "/messages" } = legacySse === true ? {} : legacySse || {};
  return {
    ...options,
    path: path === undefined ? path : expectPath("path", path).replace(/\/$/, ""),
    ...readAdmissionOptions(options),
    prefersEvents: expectChoice("responseMode", ["auto", "sse"], options.responseMode) === "sse",
    ...resolveCounts(DEFAULTS, options),
    ...resolveCounts({ closeTimeout: 5000 }, options, { least: 0 }),
    sessions: sessions === false ? undefined : resolveSessions(sessions),
    legacySse: legacySse
      ? {
          streamPath: expectPath("legacySse.streamPath", streamPath),
          messagePath: expectPath("legacySse.messagePath", messagePath),
        }
      : undefined,
  };
}

function resolveSessions(given: SessionOptions): NonNullable<HttpSettings["sessions"]> {
  const prefix = "sessions.";
  const counts = resolveCounts(SESSION_DEFAULTS, given, { prefix });
  return { ...counts, ...resolveCounts({ maxPerClient: defaultShare(counts.max) }, given, { prefix }) };
}

/** The numbers that were given, and the defaults for those that were not. */
export function resolveCounts<Name extends string>(
  defaults: { readonly [N in Name]: number },
  given: { readonly [N in NoInfer<Name>]?: number | undefined },
  { prefix = "", least = 1 }: { readonly prefix?: string; readonly least?: number } = {},
): { [N in Name]: number } {
  const counts: { [N in Name]: number } = { ...defaults };
  for (const name of Object.keys(defaults) as Name[]) {
    const { [name]: count = defaults[name] } = given;
    // More than this is as good as no limit, and a timer would take it for nothing at all.
    counts[name] = Math.min(expectLimit(prefix + name, count, least), 0x7fff_ffff);
  }
  return counts;
}
