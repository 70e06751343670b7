/** The refusals of legacy requests. */
import { ErrorCode, RpcError, type RequestId } from "@toolwire/protocol";
import type { ServerBinding } from "../../binding.ts";
import { type Refusal, retryLater } from "../../bindings/admission/refusals.ts";
import { protocolError, requestFailed } from "../../bindings/http/errors.ts";
import { Unavailable } from "../../errors.ts";

/** The id of a request is in use by another one in flight. */
export function duplicateId(id: RequestId): RpcError {
  const message = `A request with the id ${JSON.stringify(id)} is still in the works; ids must be unique.`;
  return new RpcError(ErrorCode.InvalidRequest, message);
}

/** The Language Server Protocol's code of a cancelled request. MCP has none. */
const REQUEST_CANCELLED = -32800;

/** A request was cancelled by a client that does not accept an event stream without events. */
export function cancelledByClient(): RpcError {
  return new RpcError(REQUEST_CANCELLED, "The request was cancelled.");
}

/**
 * There is no session of this id. The refusal does not repeat the id of the request: nothing of it was processed, so the
 * client may send it again in a new session.
 */
export function noSuchSession(): Refusal {
  const message = "No such session, or it has ended. Open one with `initialize`, without `Mcp-Session-Id`.";
  return { status: 404, message };
}

/** A post names a stream of the HTTP+SSE transport that is not open, or is of another caller. */
export function noSuchStream(): Refusal {
  return { status: 404, message: "There is no such session; open a new stream." };
}

/** A GET asks for a stream, but does not accept one. */
export function streamNotAccepted(): Refusal {
  return { status: 406, message: "A GET opens a `text/event-stream`; list it in the `Accept` header." };
}

/** A GET resumes a stream of which no event is kept. */
export function nothingToResume(): Refusal {
  return { status: 400, message: "There is nothing to resume: no event is kept after this Last-Event-ID." };
}

/** The refusal of a request of which a part that other processes have to do has failed. */
export function refusalOf(server: ServerBinding, error: unknown): Refusal {
  if (error instanceof Unavailable) return retryLater(error.seconds, error.status, error.message);
  return error instanceof RpcError ? protocolError(error) : requestFailed(server, error);
}
