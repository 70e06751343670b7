import { UsageError } from "@toolwire/protocol";
import type { Principal } from "../serving/contract.ts";
import type { EventStore } from "./legacy/event-store.ts";

/** What an authentication hook gets to see: everything about a request but its body. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, as in `/mcp?key=value`. */
  readonly target: string;
  /** Looks up a request header, in whatever case. */
  readonly header: (name: string) => string | undefined;
}

/** Bounds of sessions, which clients of 2025-11-25 and earlier open with `initialize`. */
export interface SessionOptions {
  /** How many sessions there may be at once. Default 10 000. */
  readonly max?: number | undefined;
  /** After how many milliseconds without any connection a session ends. Default 30 minutes. */
  readonly idleMs?: number | undefined;
  /** How many requests of one session may be in the works at once. Default 256. */
  readonly maxInFlight?: number | undefined;
  /** How many standalone streams (HTTP GET) one session may have open; a further one replaces the oldest. Default 4. */
  readonly maxStreams?: number | undefined;
}

/** The two endpoints of the HTTP+SSE transport of 2024-11-05. */
export interface LegacySseOptions {
  /** Where clients open the stream of events. Default `/sse`. */
  readonly streamPath?: string | undefined;
  /** Where clients post their messages. Default `/messages`. */
  readonly messagePath?: string | undefined;
}

/** How a server is served over HTTP. Every option loosens or tightens; none is needed to be safe. */
export interface HttpOptions {
  /** The path of the endpoint. Requests for other paths get a 404. Absent: every path that is routed here. */
  readonly path?: string | undefined;
  /**
   * The `Host` headers to answer to: names for any port, `name:port` for one, `"*"` for all. Others get a 403. Default:
   * `localhost`, `127.0.0.1` and `[::1]`, so set it to the names under which your server is reached from elsewhere.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * The web pages, by origin, that may call from a browser, such as `https://app.example.com`; `"*"` for all. Others get
   * a 403. Default: pages of the hosts in `allowedHosts`.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * Says who is calling, before anything of the body is read. Throw an `AuthError` to refuse: 401 with its challenge, or
   * 403. Sessions belong to the principal that opened them; another one's look as if they did not exist.
   */
  readonly authenticate?:
    | ((request: RequestHead) => Principal | undefined | Promise<Principal | undefined>)
    | undefined;
  /** The largest request body in bytes; larger ones get a 413. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** `"sse"` answers every request with an event stream, where the client takes one. Default `"auto"`: only if needed. */
  readonly responseMode?: "auto" | "sse" | undefined;
  /** After how many quiet milliseconds a comment keeps an event stream from being closed on the way. Default 15 000. */
  readonly keepAliveMs?: number | undefined;
  /** How many unread bytes may pile up on one event stream before it is dropped. Default 1 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** How many requests, open subscriptions included, may be in the works at once; more get a 503. Default 10 000. */
  readonly maxInFlight?: number | undefined;
  /** Sessions for legacy clients. `false`: none, so that any of several machines can answer any request. */
  readonly sessions?: SessionOptions | false | undefined;
  /** Where the events of sessions are kept for clients that reconnect. `false`: nowhere. Default: bounded memory. */
  readonly eventStore?: EventStore | false | undefined;
  /** How many milliseconds a client should wait before it reconnects to a stream. Default 1000. */
  readonly retryMs?: number | undefined;
  /** Also offers the HTTP+SSE transport of 2024-11-05, at `/sse` and `/messages` or the given paths. Default false. */
  readonly legacySse?: boolean | LegacySseOptions | undefined;
  /** How long `close()` lets requests in the works finish, in milliseconds. Default 5000. */
  readonly closeMs?: number | undefined;
}

/** The options with all defaults filled in. */
export interface HttpSettings {
  readonly path: string | undefined;
  readonly allowedHosts: readonly string[] | undefined;
  readonly allowedOrigins: readonly string[] | undefined;
  readonly authenticate: HttpOptions["authenticate"];
  readonly maxBodyBytes: number;
  readonly prefersEvents: boolean;
  readonly keepAliveMs: number;
  readonly maxQueuedBytes: number;
  readonly maxInFlight: number;
  readonly sessions: Required<{ readonly [K in keyof SessionOptions]: number }> | undefined;
  readonly eventStore: HttpOptions["eventStore"];
  readonly retryMs: number;
  readonly legacySse: { readonly streamPath: string; readonly messagePath: string } | undefined;
  readonly closeMs: number;
}

/** Fills in the defaults. Throws a `UsageError` for values that make no sense. */
export function resolveSettings(options: HttpOptions): HttpSettings {
  const { sessions = {}, legacySse = false } = options;
  const sse = legacySse === true ? {} : legacySse;
  return {
    path: options.path === undefined ? undefined : expectPath("path", options.path),
    allowedHosts: options.allowedHosts,
    allowedOrigins: options.allowedOrigins,
    authenticate: options.authenticate,
    maxBodyBytes: expectCount("maxBodyBytes", options.maxBodyBytes, 4 * 1024 * 1024),
    prefersEvents: options.responseMode === "sse",
    keepAliveMs: expectCount("keepAliveMs", options.keepAliveMs, 15_000),
    maxQueuedBytes: expectCount("maxQueuedBytes", options.maxQueuedBytes, 1024 * 1024),
    maxInFlight: expectCount("maxInFlight", options.maxInFlight, 10_000),
    sessions:
      sessions === false
        ? undefined
        : {
            max: expectCount("sessions.max", sessions.max, 10_000),
            idleMs: expectCount("sessions.idleMs", sessions.idleMs, 30 * 60_000),
            maxInFlight: expectCount("sessions.maxInFlight", sessions.maxInFlight, 256),
            maxStreams: expectCount("sessions.maxStreams", sessions.maxStreams, 4),
          },
    eventStore: options.eventStore,
    retryMs: expectCount("retryMs", options.retryMs, 1000),
    legacySse:
      sse === false
        ? undefined
        : {
            streamPath: expectPath("legacySse.streamPath", sse.streamPath ?? "/sse"),
            messagePath: expectPath("legacySse.messagePath", sse.messagePath ?? "/messages"),
          },
    closeMs: expectCount("closeMs", options.closeMs, 5000, 0),
  };
}

function expectCount(name: string, value: number | undefined, fallback: number, least = 1): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError("INVALID_ARGUMENT", `${name} is ${value}, but must be a whole number of at least ${least}.`);
}

function expectPath(name: string, value: string): string {
  if (/^\/[^?#\s]*$/.test(value)) return value;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `${name} is ${JSON.stringify(value)}, but must begin with "/" and hold no query.`,
  );
}
