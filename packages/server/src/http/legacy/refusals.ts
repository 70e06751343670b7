import { ErrorCode, RpcError, type RequestId } from "@toolwire/protocol";
import { tryAgain, type Refusal } from "../refusals.ts";

/** A stream was asked for by a client that takes none. */
export function noStream(): Refusal {
  return { status: 406, message: "A GET opens a `text/event-stream`; list it in the `Accept` header." };
}

/** There are as many sessions, or streams, as there may be. */
export function tooMany(things: string, id?: RequestId): Refusal {
  return tryAgain(60, 503, `There are too many ${things}; try again when some have ended.`, id);
}

/** An id is used twice at the same time. */
export function duplicateId(id: RequestId): RpcError {
  const message = `A request with the id ${JSON.stringify(id)} is still in the works; ids must be unique.`;
  return new RpcError(ErrorCode.InvalidRequest, message);
}
