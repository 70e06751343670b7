/** Where a request comes from, and the two ways back to its client: the reply to it, and the link of its connection. */
import type {
  Exchange,
  ExchangeSink,
  NotificationMessage,
  Reply,
  RequestId,
  RequestMessage,
  Revision,
  RpcError,
} from "@toolwire/protocol";
import type { InsufficientScope, Unavailable } from "./errors.ts";

/** An authenticated caller. */
export interface Principal {
  /** Identifies the caller. Must be stable, unique and not empty: state, sessions and rate limits are bound to it. */
  readonly id: string;
  /** The permissions of the caller, with those that follow from others. Without them, it has none. */
  readonly scopes?: readonly string[] | undefined;
  /** The authorization server that vouches for the caller. */
  readonly issuer?: string | undefined;
  /** The program that the caller uses, as the authorization server knows it. */
  readonly clientId?: string | undefined;
  /**
   * When the credentials end, in milliseconds since 1970. Streams, subscriptions and sockets of the caller end then, and its client
   * comes back with new credentials.
   */
  readonly expiresAt?: number | undefined;
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
  /**
   * Whether the caller is the program that started this process, or a part of it, as over stdio and in memory. It needs no
   * authentication: without a `principal`, it has every scope. Anybody else without a `principal` has none.
   */
  readonly isLocal?: boolean | undefined;
  /** Looks up a request header by its lower-case name, if the binding has headers. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** The protocol version that the transport names for this request, as HTTP does in `MCP-Protocol-Version`. */
  readonly protocolVersion?: string | undefined;
  /**
   * Compares a request with what the transport says about it, such as the headers that repeat parts of the body
   * (2026-07-28, "Server Validation"). Called once for each request that names its revision, as soon as that is read.
   * `nameParam` is the parameter that the header `Mcp-Name` repeats, for a method of an extension. Throws the `RpcError` that
   * refuses the request.
   */
  readonly checkRequest?: ((request: RequestMessage, protocolVersion: string, nameParam?: string) => void) | undefined;
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
  /** Takes up what other processes have agreed on with the client. Present if the state can be shared. */
  update?(state: SharedState): void;
  /**
   * Sends changes for the client over this link from now on; of all processes, one does. The changes after a place in the log come
   * first, if one is given. Resolves to where the log stands then, if that is known. Never rejects.
   */
  listen?(after: string | undefined): Promise<string | undefined>;
  /** Sends no more changes over this link. */
  stopListening?(): void;
}

/** What was agreed on with a client that several processes serve. */
export interface SharedState {
  /** What the handshake has agreed on, as {@link ConnectionSharing.keep} got it. */
  readonly facts: string;
  /** Whether the client has sent `notifications/initialized`. */
  readonly isReady: boolean;
  readonly logLevel?: string | undefined;
  /** The URIs of the resources that the client watches. */
  readonly watched: readonly string[];
}

/** A change of what was agreed on. Applying one twice changes nothing. */
export interface SharedChange {
  readonly facts?: string | undefined;
  readonly isReady?: true | undefined;
  readonly logLevel?: string | undefined;
  readonly watch?: string | undefined;
  readonly unwatch?: string | undefined;
}

/** How a connection is shared by several processes that serve the same client. */
export interface ConnectionSharing {
  /** What was agreed on before this process came to know the connection; absent if it is new. */
  readonly known?: SharedState | undefined;
  /** The most bytes of facts that can be kept. */
  readonly maxFacts: number;
  /**
   * Keeps a change where the other processes find it. The request that makes the change is answered after that. Rejects with an
   * `RpcError` if it cannot be kept.
   */
  keep(change: SharedChange): Promise<void>;
  /** Reads what other processes have changed, and passes it to `update` of the state. */
  refresh?(): Promise<void>;
  /** Makes the id of a request to the client, one that no other process uses. */
  createRequestId?(): RequestId;
}

/** The way to reach the client of one connection or session outside of any request. */
export interface ConnectionLink {
  /** The id of the authenticated caller of this connection. Updates of resources can be for one caller only. */
  readonly principal?: string | undefined;
  /**
   * Sends a notification that belongs to no request: list changes, resource updates. Absent if the client cannot be
   * reached later, as over HTTP without sessions. The server then does not announce notifications to the client. `place` is where
   * the log of changes stands after it, if several processes share one.
   */
  notify?(message: NotificationMessage, place?: string): void | Promise<void>;
  /** Sends a request to the client outside of any request, if the binding can. */
  exchange?(request: RequestMessage, sink: ExchangeSink): Exchange;
  /** Present if other processes serve the same client, too. */
  readonly sharing?: ConnectionSharing | undefined;
}

/** How a binding answers one request. */
export interface ServerReply extends Reply {
  /**
   * Rejects a request that breaks the rules of its revision. Nothing has run. HTTP answers with another status than for
   * errors of handlers. Without this method, the error is passed to `respond`.
   */
  rejectRequest?(error: RpcError): void;
  /**
   * Refuses a request whose caller lacks scopes. The handler may have run up to there. HTTP asks for the scopes in the head of the
   * response, if none was sent. Without this method, the error is passed to `respond`.
   */
  demandScopes?(error: InsufficientScope): void;
  /**
   * Refuses a request that cannot be served at the moment. Nothing has run. HTTP answers with its status and `Retry-After`. Without this
   * method, the error is passed to `respond`.
   */
  refuseForNow?(error: Unavailable): void;
  /**
   * Ends the stream before the response, and tells the client to reconnect for it after this many milliseconds. Only
   * resumable streams have it.
   */
  suspend?(retryDelay?: number): void;
}
