/**
 * What lies between the bindings and the definition: a binding turns bytes into messages and says where each came from,
 * the definition answers. Everything a binding needs of a server is here, so that a contributed binding is small.
 */
import type {
  ClientCapabilities,
  Exchange,
  ExchangeSink,
  Implementation,
  NotificationMessage,
  PerRequestMeta,
  Reply,
  RequestMessage,
  Revision,
} from "@toolwire/protocol";

/** Who is calling, as established by the binding's authentication. */
export interface Principal {
  /** Stable and unique: state, sessions and rate limits are bound to it. */
  readonly id: string;
  /** What the caller may do, where the authentication says so. */
  readonly scopes?: readonly string[] | undefined;
  /** Anything else the application wants to find in its handlers. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** Where a message came from. One object per connection, or per HTTP request. */
export interface Origin {
  /** Which binding carries it: `"stdio"`, `"http"`, `"websocket"`, `"memory"`, or a contributed one. */
  readonly binding: string;
  /** The same object for all messages of one connection or session; rate limits are kept per connection. */
  readonly connection: object;
  /** The authenticated caller. */
  readonly principal?: Principal | undefined;
  /** Looks up a request header by its lower-case name, where the binding has headers. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** Whether modern tool calls have to repeat arguments in headers, as over Streamable HTTP (`x-mcp-header`). */
  readonly repeatsArguments?: boolean | undefined;
  /** The legacy session this message belongs to, where there is one. Absent: modern or plain requests only. */
  readonly session?: LegacySession | undefined;
  /** The revision of a plain legacy request (no handshake) if the binding knows it, as from `MCP-Protocol-Version`. */
  readonly plainRevision?: Revision | undefined;
}

/**
 * A reply whose stream can end before the answer, which the client then comes back for: that of a resumable session.
 */
export interface SuspendableReply extends Reply {
  /** Ends the stream; the client is told to come back after so many milliseconds. */
  suspend(retryDelay?: number): void;
}

/** What a binding offers to a legacy session: a way to reach the client outside of any request. */
export interface SessionLink {
  /**
   * Sends a notification that belongs to no request: list changes, resource updates. Absent where the session ends with
   * the handshake, as over HTTP without sessions; the client is then promised none.
   */
  notify?(message: NotificationMessage): void | Promise<void>;
  /** Sends a request that belongs to no request, where the binding can. */
  exchange?(request: RequestMessage, sink: ExchangeSink): Exchange;
}

/** The state that an `initialize` handshake establishes; the server's half of a legacy connection. */
export interface LegacySession {
  /** The negotiated revision, once `initialize` was answered. */
  readonly revision: Revision | undefined;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** The client has said that it is ready: from now on it may be sent what it did not ask for. */
  start(): void;
  /** Ends the session: its subscriptions are dropped and what it awaits from the client fails. Safe to call twice. */
  close(): void;
}

/** A compiled server definition, as a binding sees it. It holds no connection state, so one serves any number. */
export interface Serving {
  /** The revisions this server speaks, newest first. */
  readonly revisions: readonly Revision[];

  /**
   * Answers one request. Detects the era: per-request `_meta` is modern, `initialize` opens `origin.session`, anything
   * else belongs to that session or is a plain request. `meta` is what `readRequestMeta` made of the request, where the
   * binding has read it already. Never throws; answers exactly once unless cancelled.
   */
  serve(request: RequestMessage, reply: Reply, origin: Origin, meta?: PerRequestMeta): Exchange;

  /** Takes note of a notification: `notifications/initialized`, `roots/list_changed`. Cancellation is the binding's. */
  hear(message: NotificationMessage, origin: Origin): void;

  /**
   * Makes the state of a legacy session; the binding keeps it for as long as the connection or session lasts. Bindings
   * that are not served by `serveChannel` await the server's `ready()` before the first one.
   */
  openSession(link: SessionLink): LegacySession;

  /** Ends every open subscription gracefully, as servers do before they go away; or only those of one connection. */
  endSubscriptions(connection?: object): void;

  /** Tells the operator of something worth knowing, through the server's `onDiagnostic` hook. */
  diagnose(event: Diagnostic): void;
}

/** Something an operator may want to know; nothing the peer sees. */
export interface Diagnostic {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
  readonly error?: unknown;
  /** The id that the caller was given instead of the error's text. */
  readonly errorId?: string | undefined;
}
