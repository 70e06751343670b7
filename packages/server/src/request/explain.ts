import { ErrorCode, RpcError } from "@toolwire/protocol";
import { ToolError } from "../errors.ts";
import type { ServedRequest } from "./served-request.ts";

/** What the caller may know of an error: errors made for it as they are, of all others an id. */
export function explain(call: ServedRequest, error: unknown): RpcError {
  if (error instanceof RpcError) {
    // This number may not be sent any more (base protocol, error codes).
    return error.code === ErrorCode.ResourceNotFound && call.era === "modern"
      ? new RpcError(ErrorCode.InvalidParams, error.message, { data: error.data })
      : error;
  }
  if (error instanceof ToolError) return new RpcError(ErrorCode.InternalError, error.message);
  return new RpcError(ErrorCode.InternalError, `Internal error (id ${record(call, error)})`);
}

/** Tells the operator of an error in full. Returns the id that the caller is given instead. */
export function record(call: ServedRequest, error: unknown): string {
  const errorId = crypto.randomUUID();
  const what = call.tool === undefined ? call.method : `Tool "${call.tool.name}"`;
  // What a handler throws because it was told to stop is no news.
  const level = call.isOver ? "debug" : "error";
  call.definition.diagnose({ level, message: `${what} failed (id ${errorId}).`, error, errorId });
  return errorId;
}
