/** Where a request comes from, and the two ways back to its client: the reply to it, and the link of its connection. */
import type {
  Exchange,
  ExchangeSink,
  NotificationMessage,
  Reply,
  RequestMessage,
  Revision,
  RpcError,
} from "@toolwire/protocol";

/** An authenticated caller. */
export interface Principal {
  /** Identifies the caller. Must be stable, unique and not empty: state, sessions and rate limits are bound to it. */
  readonly id: string;
  /** The permissions of the caller, if the authentication knows them. */
  readonly scopes?: readonly string[] | undefined;
  /** Anything else that your handlers need to know about the caller. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Whether a value identifies a caller. A failed look-up gives `undefined` or an empty `id`; both are refused, because all
 * unknown callers would otherwise share one identity.
 */
export function isPrincipal(value: unknown): value is Principal {
  const id: unknown = (value as Principal | null | undefined)?.id;
  return typeof id === "string" && id !== "";
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
  /** The protocol version that the transport names for this request, as HTTP does in `MCP-Protocol-Version`. */
  readonly protocolVersion?: string | undefined;
  /**
   * Compares a request with what the transport says about it, such as the headers that repeat parts of the body
   * (2026-07-28, "Server Validation"). Called once for each request that names its revision, as soon as that is read.
   * Throws the `RpcError` that refuses the request.
   */
  readonly checkRequest?: ((request: RequestMessage, protocolVersion: string) => void) | undefined;
  /** Whether tool calls must repeat arguments in headers, in eras that have such headers (`x-mcp-header`). */
  readonly requiresParamHeaders?: boolean | undefined;
  /** The state that the server keeps for this connection or session: the result of `openConnection`. */
  readonly state?: ServerConnection | undefined;
}

/**
 * The state that a server keeps for one connection or session. The binding passes it on with every message and closes it at
 * the end. Its contents belong to the server.
 */
export interface ServerConnection {
  /** The revision that a handshake agreed on. `undefined` before a handshake, and if each request names its own. */
  readonly revision: Revision | undefined;
  /** Ends the state: drops its subscriptions and fails open requests to the client. Safe to call twice. */
  close(): void;
}

/** The way to reach the client of one connection or session outside of any request. */
export interface ConnectionLink {
  /** The id of the authenticated caller of this connection. Updates of resources can be for one caller only. */
  readonly principal?: string | undefined;
  /**
   * Sends a notification that belongs to no request: list changes, resource updates. Absent if the client cannot be
   * reached later, as over HTTP without sessions. The server then does not announce notifications to the client.
   */
  notify?(message: NotificationMessage): void | Promise<void>;
  /** Sends a request to the client outside of any request, if the binding can. */
  exchange?(request: RequestMessage, sink: ExchangeSink): Exchange;
}

/** How a binding answers one request. */
export interface ServerReply extends Reply {
  /**
   * Rejects a request that breaks the rules of its revision. Nothing has run. HTTP answers with another status than for
   * errors of handlers. Without this method, the error is passed to `respond`.
   */
  rejectRequest?(error: RpcError): void;
  /**
   * Ends the stream before the response, and tells the client to reconnect for it after this many milliseconds. Only
   * resumable streams have it.
   */
  suspend?(retryDelay?: number): void;
}
