import { ErrorCode, RpcError, type RequestId } from "@toolwire/protocol";
import type { Refusal } from "../../bindings/admission/refusals.ts";

/** A stream was asked for by a client that takes none. */
export function noStream(): Refusal {
  return { status: 406, message: "A GET opens a `text/event-stream`; list it in the `Accept` header." };
}

/** Several messages came at once, in a revision in which they must come one by one. */
export function noBatches(): Refusal {
  return { status: 400, message: "Batches are part of 2025-03-26 only; send one message at a time." };
}

/** An id is used twice at the same time. */
export function duplicateId(id: RequestId): RpcError {
  const message = `A request with the id ${JSON.stringify(id)} is still in the works; ids must be unique.`;
  return new RpcError(ErrorCode.InvalidRequest, message);
}

/** The Language Server Protocol's number for a cancelled request. MCP has none. */
const REQUEST_CANCELLED = -32800;

/** A request was cancelled while it ran, by a client that takes no event stream without events for an answer. */
export function cancelledByClient(): RpcError {
  return new RpcError(REQUEST_CANCELLED, "The request was cancelled.");
}
