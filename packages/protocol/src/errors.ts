/**
 * All errors that Toolwire raises. Wire errors carry a number, local errors a string, so one can never be mistaken for
 * the other. The table in this package's README lists all codes.
 */

import { brandError, isBrandedInstance } from "@toolwire/json-schema/internal";

/** The base class of all errors of the SDK. Every error has a `code` to branch on, and usually a `cause`. */
export abstract class ToolwireError extends Error {
  static {
    brandError(this, "ToolwireError");
  }

  /** Compares the names of the classes instead of the classes; see `brandError`. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isBrandedInstance(this, value);
  }

  /** A number if the error crossed (or is meant to cross) the wire; a string if it arose on this side. */
  abstract readonly code: number | string;
}

/** The JSON-RPC and MCP error numbers by name. */
export const ErrorCode = {
  /** The bytes were not JSON. */
  ParseError: -32700,
  /** The JSON was not a JSON-RPC 2.0 message. */
  InvalidRequest: -32600,
  /** The receiver does not serve this method. */
  MethodNotFound: -32601,
  /** The parameters do not fit the method: unknown tool, bad cursor, missing field. */
  InvalidParams: -32602,
  /** Something failed inside the receiver. */
  InternalError: -32603,
  /** An HTTP header contradicts the body, or a required one is absent (2026-07-28). */
  HeaderMismatch: -32020,
  /** The client has not declared a capability that this request needs (2026-07-28). */
  MissingRequiredClientCapability: -32021,
  /** The receiver does not speak the requested revision (2026-07-28). */
  UnsupportedProtocolVersion: -32022,
  /** No such resource (2025-11-25 and earlier; now `InvalidParams`). */
  ResourceNotFound: -32002,
  /** The user has to visit a URL first (2025-11-25 only). */
  UrlElicitationRequired: -32042,
  /**
   * The caller lacks scopes, which `data.scopes` lists. Not a number of the specification, which knows the refusal by its HTTP status
   * only: it is for responses that are not HTTP, or have begun. JSON-RPC reserves -32768 to -32000, and leaves all others to
   * applications.
   */
  InsufficientScope: 403,
} as const;

/** Any of the numbers in {@link ErrorCode}. */
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/**
 * How a peer, or a gateway in front of it, turned a request away instead of answering it. Only transports that can tell
 * a refusal from an answer, as HTTP does by its status, say so.
 */
export interface Refusal {
  /** The peer is overloaded, shutting down, or not reachable behind its gateway: the same request may succeed later. */
  readonly isTemporary: boolean;
  /** The peer has not looked into the request, so sending it again cannot repeat an effect. */
  readonly isUnread: boolean;
  /** The peer may not take requests in the way they were sent: it may speak another era, or be no MCP server. */
  readonly suggestsOtherEra: boolean;
  /** The transport's own name for the refusal, for logs, such as "HTTP status 503". */
  readonly detail: string;
  /** How many milliseconds to wait before the next attempt, if the peer says so. */
  readonly retryAfter?: number | undefined;
}

/** An error that crosses the wire as a JSON-RPC error object. Throw it to answer with exactly this code. */
export class RpcError extends ToolwireError {
  static {
    brandError(this, "RpcError");
  }

  override readonly name: string = "RpcError";
  readonly code: number;
  /** Machine-readable details, sent unchanged. */
  readonly data: unknown;
  /** Present if the transport knows that the request was turned away rather than answered. Never sent. */
  readonly refusal: Refusal | undefined;
  /** The method of the request that the peer refused, such as `tools/call`. Absent in errors of your own; never sent. */
  readonly method: string | undefined;

  constructor(
    code: number,
    message: string,
    options: {
      data?: unknown;
      cause?: unknown;
      refusal?: Refusal | undefined;
      method?: string | undefined;
    } = {},
  ) {
    super(message, options);
    this.code = code;
    this.data = options.data;
    this.refusal = options.refusal;
    this.method = options.method;
  }
}

/** The codes of {@link TransportError}. */
export type TransportErrorCode =
  /** The connection is closed: nothing more can be sent, and requests in flight get no response. */
  | "CLOSED"
  /** The other side could not be reached or started. */
  | "CONNECT_FAILED"
  /** No response within the time allowed. */
  | "TIMEOUT"
  /** The connection broke before the response came; whether the request took effect is unknown. */
  | "CONNECTION_LOST"
  /** The HTTP response had a status or content type that no MCP server sends for this request. */
  | "UNEXPECTED_RESPONSE"
  /**
   * The server no longer knows this session, and a new one could not be opened or has no use for its cursors; or it seems not to
   * know it, and the request was not sent again because it may have taken effect.
   */
  | "SESSION_EXPIRED"
  /** The peer sends faster, or more, than the limits allow. */
  | "OVERLOADED";

/** The connection failed, or no response came in time. */
export class TransportError extends ToolwireError {
  static {
    brandError(this, "TransportError");
  }

  override readonly name: string = "TransportError";
  readonly code: TransportErrorCode;
  /**
   * Present if the request was turned away by a peer that was reached. With the code `SESSION_EXPIRED`, a refusal that
   * may have been read means that the loss of the session is a guess; `cause` is then what else the refusal may mean.
   */
  readonly refusal: Refusal | undefined;

  constructor(
    code: TransportErrorCode,
    message: string,
    options: { cause?: unknown; refusal?: Refusal | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    this.refusal = options.refusal;
  }
}

/** The codes of {@link ProtocolViolation}. */
export type ProtocolViolationCode =
  /** Not JSON. */
  | "PARSE_ERROR"
  /** JSON, but not a JSON-RPC 2.0 message. */
  | "INVALID_MESSAGE"
  /** Bytes that are not UTF-8. */
  | "INVALID_UTF8"
  /** A line, frame, event or body above the size limit. */
  | "TOO_LARGE"
  /** A response whose id was never used. */
  | "UNKNOWN_RESPONSE"
  /** A response to a request that was cancelled or timed out. */
  | "LATE_RESPONSE"
  /** A second response to one request. */
  | "DUPLICATE_RESPONSE"
  /** A request whose id is still in use. */
  | "DUPLICATE_REQUEST"
  /** A request from a server that may send none, because it is modern or no session was opened. */
  | "UNEXPECTED_REQUEST"
  /**
   * A legacy server refuses the stream for its own messages in a way that the protocol does not allow, or the stream is
   * useless.
   */
  | "NO_STREAM"
  /** A legacy server refuses `notifications/initialized`, which it must accept. */
  | "NOT_ACKNOWLEDGED"
  /** A result that does not have the shape its method promises. */
  | "INVALID_RESULT"
  /** No revision that both sides speak. */
  | "NO_COMMON_REVISION"
  /** A server that keeps asking for input beyond the allowed number of rounds. */
  | "TOO_MANY_ROUNDS";

/**
 * The peer sent something that the protocol does not allow. This side is not harmed; the error is reported so that the
 * peer can be fixed.
 */
export class ProtocolViolation extends ToolwireError {
  static {
    brandError(this, "ProtocolViolation");
  }

  override readonly name: string = "ProtocolViolation";
  readonly code: ProtocolViolationCode;

  constructor(code: ProtocolViolationCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The codes of {@link UsageError}. */
export type UsageErrorCode =
  /** A definition that cannot be served: a bad name, a missing field. */
  | "INVALID_DEFINITION"
  /** Two definitions of the same name. */
  | "DUPLICATE_NAME"
  /** A schema that is not valid in its dialect, not self-contained, or beyond the bounds. */
  | "INVALID_SCHEMA"
  /** A schema in a dialect that no validator here understands. */
  | "UNSUPPORTED_DIALECT"
  /** A URI template that RFC 6570 does not allow. */
  | "INVALID_URI_TEMPLATE"
  /** An argument or option of the wrong kind. */
  | "INVALID_ARGUMENT"
  /** The negotiated revision, or the peer's capabilities, do not include this. */
  | "UNSUPPORTED"
  /** Called at a time when it cannot work, such as after `close()`. */
  | "INVALID_STATE";

/** Your program uses the SDK wrongly. The message says what to change. */
export class UsageError extends ToolwireError {
  static {
    brandError(this, "UsageError");
  }

  override readonly name: string = "UsageError";
  readonly code: UsageErrorCode;

  constructor(code: UsageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The codes of {@link AuthError}. */
export type AuthErrorCode =
  /** No credentials, or credentials the server does not accept (HTTP 401). */
  | "UNAUTHORIZED"
  /** Valid credentials without the needed permission (HTTP 403). */
  | "FORBIDDEN"
  /** A login is needed, and no way to log in was given. */
  | "LOGIN_REQUIRED"
  /** The authorization server refused the login, or the request for a token. */
  | "LOGIN_FAILED"
  /** The login was given up: by the user, by the program, or because it took too long. */
  | "LOGIN_CANCELLED"
  /** The token lacks scopes, and asking for them was of no use. `scopes` has those that the server wants. */
  | "INSUFFICIENT_SCOPE"
  /** The server refuses a token that was issued for it a moment ago. */
  | "TOKEN_REJECTED"
  /** A document or a redirect names another authorization server than the one that was asked. */
  | "ISSUER_MISMATCH"
  /** The server uses another authorization server than the one that credentials were configured for. */
  | "ISSUER_CHANGED"
  /** The metadata of the server is about another resource. */
  | "RESOURCE_MISMATCH"
  /** The authorization server does not register this client. */
  | "REGISTRATION_FAILED"
  /** The authorization server, or the metadata of the server, lacks something that is required. */
  | "UNSUPPORTED_SERVER"
  /** A URL that must not be used: neither https nor loopback, or in a more private network than the server. */
  | "INSECURE_URL"
  /** The authorization server is down or overloaded. Nothing was lost: try again later. */
  | "TEMPORARY";

/** The server refused access, or there is no way to get it. */
export class AuthError extends ToolwireError {
  static {
    brandError(this, "AuthError");
  }

  override readonly name: string = "AuthError";
  readonly code: AuthErrorCode;
  /** How the caller could get access: the value of the `WWW-Authenticate` header (RFC 9110, section 11.6.1). */
  readonly challenge: string | undefined;
  /** The scopes that the server wants, if the code is `INSUFFICIENT_SCOPE`; those to log in with, if it is `LOGIN_REQUIRED`. */
  readonly scopes: readonly string[] | undefined;

  constructor(
    code: AuthErrorCode,
    message: string,
    options: { challenge?: string | undefined; scopes?: readonly string[] | undefined; cause?: unknown } = {},
  ) {
    super(message, options);
    this.code = code;
    this.challenge = options.challenge;
    this.scopes = options.scopes;
  }
}
