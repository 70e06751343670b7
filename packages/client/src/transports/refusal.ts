/**
 * What the errors of transports tell about a request that was refused. Everything outside of `transports/` asks these
 * questions, and does not look at an HTTP status itself.
 */
import { type RpcError, TransportError } from "@toolwire/protocol";
import { isShuttingDown } from "@toolwire/protocol/internal";
import { GuessedSessionLoss, unread } from "./http/errors.ts";

/**
 * Whether the server did not look at the request, because it is too busy or shuts down. The same request may succeed
 * later.
 */
export function isTemporary(error: unknown): boolean {
  if (isShuttingDown(error)) return true;
  const { status, httpStatus = status } = Object(error) as { readonly status?: unknown; readonly httpStatus?: unknown };
  return httpStatus === 429 || httpStatus === 502 || httpStatus === 503 || httpStatus === 504;
}

/** Whether the server refused the request before it looked into it, so that the request had no effect. */
export function isUnread(error: unknown): boolean {
  return unread.has(Object(error) as object);
}

/**
 * Whether the address takes no requests in this form. A server with an older transport may be there (HTTP, "Backward
 * Compatibility").
 */
export function isUnknownEndpoint(error: unknown): boolean {
  const { status } = Object(error) as { readonly status?: unknown };
  return status === 400 || status === 404 || status === 405;
}

/** Whether a JSON-RPC error came with a refusal of the transport, and not as the answer of a server that did its work. */
export function isRefusal({ httpStatus }: RpcError): boolean {
  return httpStatus !== undefined;
}

/** Whether that refusal finds fault with the request (HTTP 400 to 499), and not with the server. */
export function blamesRequest({ httpStatus = 0 }: RpcError): boolean {
  return httpStatus >= 400 && httpStatus <= 499;
}

/** The server has forgotten the session of a request, or may have. */
export function isSessionLoss(error: unknown): error is TransportError {
  return error instanceof TransportError && error.code === "SESSION_EXPIRED";
}

/**
 * Whether the loss of the session is only a guess. Then `cause` is the meaning of the refusal if the guess is wrong. A loss
 * that is certain means that the server has not looked at the request.
 */
export function isPossibleSessionLoss(error: unknown): error is TransportError & { readonly cause: Error } {
  return error instanceof GuessedSessionLoss;
}
