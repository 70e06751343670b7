/**
 * Questions about a request that was refused. Everything outside of `transports/` asks these, and does not look at an
 * HTTP status itself.
 */
import { type Refusal, RpcError, TransportError } from "@toolwire/protocol";
import { isShuttingDown } from "@toolwire/protocol/internal";

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

function refusalOf(error: unknown): Refusal | undefined {
  return error instanceof TransportError || error instanceof RpcError ? error.refusal : undefined;
}
