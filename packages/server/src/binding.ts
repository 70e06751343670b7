/**
 * What lies between the bindings and the definition: a binding turns bytes into messages and says where each came from,
 * the definition answers. Everything a binding needs of a server is here, so that a contributed binding is small.
 */
import {
  type ClientCapabilities,
  type Exchange,
  type ExchangeSink,
  type Implementation,
  type NotificationMessage,
  type Reply,
  type RequestMessage,
  type Revision,
  UsageError,
} from "@toolwire/protocol";
import { isObject, type PerRequestMeta } from "@toolwire/protocol/internal";
import { describeKind } from "./define/check-options.ts";
import { unsupportedRevision } from "./errors.ts";

/** An authenticated caller. */
export interface Principal {
  /** Identifies the caller. Must be stable, unique and not empty: state, sessions and rate limits are bound to it. */
  readonly id: string;
  /** What the caller may do, if the authentication knows. */
  readonly scopes?: readonly string[] | undefined;
  /** Anything else that your handlers need to know about the caller. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** Where a message came from. One object per connection, or per HTTP request. */
export interface Origin {
  /** The name of the binding: `"stdio"`, `"http"`, `"websocket"`, `"memory"`, or a contributed one. */
  readonly binding: string;
  /** The same object for all messages of one connection or session; rate limits are kept per connection. */
  readonly connection: object;
  /** The authenticated caller. */
  readonly principal?: Principal | undefined;
  /** Looks up a request header by its lower-case name, if the binding has headers. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** Whether modern tool calls must repeat arguments in headers, as over Streamable HTTP (`x-mcp-header`). */
  readonly repeatsArguments?: boolean | undefined;
  /** The legacy session that this message belongs to, if there is one. Absent: modern or plain requests only. */
  readonly session?: LegacySession | undefined;
  /** The revision of a plain legacy request (no handshake) if the binding knows it, as from `MCP-Protocol-Version`. */
  readonly plainRevision?: Revision | undefined;
}

/**
 * A reply of a resumable session: its stream can end before the answer, and the client then reconnects for the answer.
 */
export interface SuspendableReply extends Reply {
  /** Ends the stream, and tells the client to reconnect after this many milliseconds. */
  suspend(retryDelay?: number): void;
}

/** What a binding offers to a legacy session: a way to reach the client outside of any request. */
export interface SessionLink {
  /** The id of the authenticated caller that the session belongs to. Updates of resources can be for one caller only. */
  readonly principal?: string | undefined;
  /**
   * Sends a notification that belongs to no request: list changes, resource updates. Absent if the session ends with
   * the handshake, as over HTTP without sessions. The server then does not announce notifications to the client.
   */
  notify?(message: NotificationMessage): void | Promise<void>;
  /** Sends a request to the client outside of any request, if the binding can. */
  exchange?(request: RequestMessage, sink: ExchangeSink): Exchange;
}

/** The state that an `initialize` handshake establishes: the server's side of a legacy connection. */
export interface LegacySession {
  /** The negotiated revision, once `initialize` was answered. */
  readonly revision: Revision | undefined;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** Marks the client as ready: from now on, it may be sent notifications and requests. */
  start(): void;
  /** Ends the session: drops its subscriptions and fails its open questions to the client. Safe to call twice. */
  close(): void;
}

/** A server as a binding sees it. It holds no connection state, so one serves any number of connections. */
export interface Serving {
  /** The revisions this server speaks, newest first. */
  readonly revisions: readonly Revision[];

  /**
   * Answers one request. Detects the era: per-request `_meta` is modern, `initialize` opens `origin.session`, anything
   * else belongs to that session or is a plain request. `meta` is what `readRequestMeta` made of the request, where the
   * binding has read it already. Never throws; answers exactly once unless cancelled.
   */
  serve(request: RequestMessage, reply: Reply, origin: Origin, meta?: PerRequestMeta): Exchange;

  /** Handles a notification: `notifications/initialized`, `roots/list_changed`. Cancellation is up to the binding. */
  hear(message: NotificationMessage, origin: Origin): void;

  /**
   * Loads the code for legacy clients, which is otherwise loaded on demand.
   */
  ready(): Promise<void>;

  /**
   * Makes the state of a legacy session. The binding keeps it as long as the connection or session lasts. A binding
   * that does not use `serveChannel` must await {@link ready} before the first one, or this throws a `UsageError`.
   */
  openSession(link: SessionLink): LegacySession;

  /** Ends all open subscriptions gracefully, as servers do before they shut down; or only those of one connection. */
  endSubscriptions(connection?: object): void;

  /** Reports something to the operator, through the server's `onDiagnostic` hook. */
  diagnose(event: Diagnostic): void;
}

/** Something that an operator may want to know. The peer does not see it. */
export interface Diagnostic {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
  readonly error?: unknown;
  /** The id that the caller got instead of the error's text. */
  readonly errorId?: string | undefined;
}

/**
 * Refuses what is no server, before anything listens. `example` is the call as it should be written.
 *
 * @throws UsageError with what was given instead
 */
export function expectServing(example: string, server: unknown): void {
  if (isServing(server)) return;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `The server comes first, as in ${example}: make it with createServer(). What was given is ${describe(server)}.`,
  );
}

function isServing(server: unknown): server is Serving {
  if (!isObject(server)) return false;
  return ["serve", "hear", "openSession", "diagnose"].every((method) => typeof server[method] === "function");
}

/** What was given. Of an object, the names show whether it was meant for options, for example. */
function describe(value: unknown): string {
  const kind = describeKind(value);
  if (kind === "a promise") return `${kind}: await it first`;
  const names = kind === "an object" ? Object.keys(value as object).slice(0, 5) : [];
  return names.length === 0 ? kind : `${kind} with ${names.join(", ")}`;
}

type Speaker = Pick<Serving, "revisions">;

/** Whether a server speaks the revision of this name. */
export function speaks({ revisions }: Speaker, version: string): version is Revision {
  return revisions.includes(version as Revision);
}

/** The revision of this name. Throws the `RpcError` that refuses it, if the server does not speak it. */
export function expectSpoken(speaker: Speaker, version: string): Revision {
  if (speaks(speaker, version)) return version;
  throw unsupportedRevision(version, speaker.revisions, "");
}
