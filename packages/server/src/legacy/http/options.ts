import { isObject, expectKnownNames, expectOption, expectPath, type OptionNames } from "@toolwire/protocol/internal";
import { defaultShare } from "../../bindings/admission/callers.ts";
import { resolveCounts } from "../../bindings/http/options.ts";
import type { EventStore } from "./event-store.ts";

/** How clients of 2025-11-25 and earlier are served over HTTP. */
export interface LegacyHttpOptions {
  /**
   * Sessions, which clients open with `initialize`. Default: this process keeps them, or with `cluster` all processes together.
   *
   * `{ sealed: true }` keeps none, and lets clients carry what they have said of themselves: see {@link SealedSessionOptions}. `false`
   * keeps none, and knows nothing of its clients. With either, any of several machines can answer any request, and clients get no
   * change notifications and no log messages and cannot be asked questions; the server does not announce these capabilities to them.
   */
  readonly sessions?: SessionOptions | SealedSessionOptions | false | undefined;
  /** Keeps the events of sessions for clients that reconnect. `false` keeps none. Default: bounded memory. */
  readonly eventStore?: EventStore | false | undefined;
  /** How many milliseconds clients should wait before they reconnect to a stream of a session. Default 1000. */
  readonly retryDelay?: number | undefined;
  /** Also offers the HTTP+SSE transport of 2024-11-05, at `/sse` and `/messages` or the given paths. Default false. */
  readonly sse?: boolean | SsePaths | undefined;
}

/** Limits of sessions. Whole numbers; `Infinity` turns one off. */
export interface SessionOptions {
  /** Whether clients carry their sessions: see {@link SealedSessionOptions}, which has no other limits. */
  readonly sealed?: false | undefined;
  /**
   * How many sessions may be open at once. If there are more, the one that was quiet longest ends, if it was quiet for a
   * minute; otherwise the new one gets a 503. A client that has more than a hundredth of all, and more than 10, gives up
   * one of its own first. Default 10 000.
   */
  readonly max?: number | undefined;
  /**
   * How many sessions one client may have open, and how many streams of `sse`. If it opens more, its own session that
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

/**
 * Sessions that nothing is kept of: what the handshake has agreed on travels in the session id, sealed with the server's `stateKey`.
 * Any process with that key serves them, after a restart too, and nothing has to run beside the servers. Requests know the revision of
 * the client, its name, and what it can do.
 *
 * What takes memory of a server is not there: questions to the client (to handlers, it is one that cannot be asked), GET streams,
 * resumption, change notifications, log levels and log messages, and DELETE, which get a 405. A cancellation has no effect; a client
 * that closes the connection of a request cancels it.
 */
export interface SealedSessionOptions {
  readonly sealed: true;
  /** After how many milliseconds a session ends, however much it is used. Default 604 800 000 (7 days). */
  readonly maxAge?: number | undefined;
}

/** The paths of the HTTP+SSE transport of 2024-11-05. */
export interface SsePaths {
  /** Where clients open the event stream. Default `/sse`. */
  readonly streamPath?: string | undefined;
  /** Where clients post their messages. Default `/messages`. */
  readonly messagePath?: string | undefined;
}

/** The limits of sessions with all defaults filled in. */
type SessionLimits = Required<{ readonly [K in Exclude<keyof SessionOptions, "sealed">]: number }>;

/** The options with all defaults filled in. */
export interface LegacyHttpSettings {
  readonly sessions: SessionLimits | undefined;
  /** Present if sessions are sealed. */
  readonly sealed: { readonly maxAge: number } | undefined;
  /** `undefined`: the default store. */
  readonly eventStore: EventStore | false | undefined;
  readonly retryDelay: number;
  readonly sse: { readonly streamPath: string; readonly messagePath: string } | undefined;
}

const LEGACY_OPTIONS: OptionNames<LegacyHttpOptions> = {
  sessions: true,
  eventStore: true,
  retryDelay: true,
  sse: true,
};

const SESSION_OPTIONS: OptionNames<SessionOptions> = {
  sealed: true,
  max: true,
  maxPerClient: true,
  idleTimeout: true,
  maxStreams: true,
};

const SEALED_OPTIONS: OptionNames<SealedSessionOptions> = { sealed: true, maxAge: true };

const SSE_PATHS: OptionNames<SsePaths> = { streamPath: true, messagePath: true };

/** Fills in the defaults. Throws a `UsageError` for values that make no sense. */
export function resolveLegacySettings(options: LegacyHttpOptions): LegacyHttpSettings {
  expectOption("legacy", options, isObject(options), "an object of options, or false");
  expectKnownNames("legacy", options, LEGACY_OPTIONS);
  return {
    ...resolveSessions(options.sessions),
    eventStore: expectEventStore(options.eventStore),
    ...resolveCounts({ retryDelay: 1000 }, options, { prefix: "legacy." }),
    sse: resolvePaths(options.sse),
  };
}

function resolveSessions(
  given: SessionOptions | SealedSessionOptions | false = {},
): Pick<LegacyHttpSettings, "sessions" | "sealed"> {
  if (given === false) return { sessions: undefined, sealed: undefined };
  expectOption("legacy.sessions", given, isObject(given), "an object of limits, or false");
  const prefix = "legacy.sessions.";
  expectOption("legacy.sessions.sealed", given.sealed, [true, false, undefined].includes(given.sealed), "a boolean");
  if (given.sealed === true) {
    expectKnownNames("legacy.sessions", given, SEALED_OPTIONS);
    return { sessions: undefined, sealed: resolveCounts({ maxAge: 7 * 24 * 60 * 60_000 }, given, { prefix }) };
  }
  expectKnownNames("legacy.sessions", given, SESSION_OPTIONS);
  const counts = resolveCounts({ max: 10_000, idleTimeout: 30 * 60_000, maxStreams: 4 }, given, { prefix });
  const share = resolveCounts({ maxPerClient: defaultShare(counts.max) }, given, { prefix });
  return { sessions: { ...counts, ...share }, sealed: undefined };
}

function expectEventStore(given: EventStore | false | undefined): EventStore | false | undefined {
  const isStore = isObject(given) && "append" in given && "after" in given && "forget" in given;
  return expectOption(
    "legacy.eventStore",
    given,
    isStore || given === undefined || given === false,
    "an event store, or false",
  );
}

function resolvePaths(given: boolean | SsePaths = false): LegacyHttpSettings["sse"] {
  if (given === false) return undefined;
  expectOption("legacy.sse", given, given === true || isObject(given), "an object of paths, or a boolean");
  const paths = given === true ? {} : given;
  expectKnownNames("legacy.sse", paths, SSE_PATHS);
  return {
    streamPath: expectPath("legacy.sse.streamPath", paths.streamPath ?? "/sse"),
    messagePath: expectPath("legacy.sse.messagePath", paths.messagePath ?? "/messages"),
  };
}
