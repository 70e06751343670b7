/**
 * Questions about a request that was refused. Everything outside of `transports/` asks these, and does not look at an
 * HTTP status itself.
 */
import { AuthError, ErrorCode, type ErrorMessage, type Refusal, RpcError, TransportError } from "@toolwire/protocol";
import { isObject, isShuttingDown, quoteWords } from "@toolwire/protocol/internal";

/**
 * Whether the server did not look at the request, because it is too busy or shuts down. The same request may succeed
 * later.
 */
export function isTemporary(error: unknown): boolean {
  return isShuttingDown(error) || refusalOf(error)?.isTemporary === true;
}

/** Whether the server refused the request before it looked into it, so that the request had no effect. */
export function isUnread(error: unknown): boolean {
  return refusalOf(error)?.isUnread === true;
}

/**
 * Whether the address takes no requests in this form. A server with an older transport may be there (HTTP, "Backward
 * Compatibility").
 */
export function isUnknownEndpoint(error: unknown): boolean {
  return error instanceof TransportError && error.refusal?.suggestsOtherEra === true;
}

/** Whether a JSON-RPC error came with a refusal of the transport, and not as the answer of a server that did its work. */
export function isRefusal({ refusal }: RpcError): boolean {
  return refusal !== undefined;
}

/** Whether that refusal finds fault with the request (HTTP 400 to 499), and not with the server. */
export function blamesRequest({ refusal }: RpcError): boolean {
  return refusal?.suggestsOtherEra === true;
}

/** Whether the server has forgotten the session of a request, or may have. */
export function isSessionLoss(error: unknown): error is TransportError {
  return error instanceof TransportError && error.code === "SESSION_EXPIRED";
}

/**
 * Whether the loss of the session is only a guess. Then `cause` is the meaning of the refusal if the guess is wrong. A loss
 * that is certain means that the server has not looked at the request.
 */
export function isPossibleSessionLoss(error: unknown): error is TransportError & { readonly cause: Error } {
  return isSessionLoss(error) && error.refusal?.isUnread === false;
}

/** How many scopes of a server are taken up. */
const MAX_SCOPES = 100;

/**
 * Explains the JSON-RPC error by which a server refuses a caller that lacks scopes: as an HTTP status of 403 does, which cannot be sent
 * once a response has begun, or over other transports. `undefined` for other errors.
 */
export function explainMissingScopes(error: ErrorMessage["error"]): AuthError | undefined {
  const { code, data, message } = error;
  // Other servers may use the number for something else.
  const isMeant = code === ErrorCode.InsufficientScope && isObject(data) && data["error"] === "insufficient_scope";
  if (!isMeant) return undefined;
  const named: readonly unknown[] = Array.isArray(data["scopes"]) ? data["scopes"].slice(0, MAX_SCOPES) : [];
  const scopes = named.filter((scope): scope is string => typeof scope === "string" && SCOPE.test(scope));
  const text = `The server does not allow this request with these credentials. It says: ${quoteWords(message)}`;
  return new AuthError("INSUFFICIENT_SCOPE", text, { scopes, cause: error });
}

/** A scope of RFC 6749, section 3.3, of a length that people can read. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

function refusalOf(error: unknown): Refusal | undefined {
  return error instanceof TransportError || error instanceof RpcError ? error.refusal : undefined;
}
