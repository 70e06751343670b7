import { ErrorCode, RpcError } from "@toolwire/protocol";
import { ToolError } from "../errors.ts";
import type { ServedRequest } from "./served-request.ts";

/** What the caller may know of an error: errors made for it as they are, of all others an id. */
export function explain(call: ServedRequest, error: unknown): RpcError {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    const allowed = call.era === "modern" ? modernCode(code) : code;
    return allowed === code ? error : new RpcError(allowed, message, { data });
  }
  if (error instanceof ToolError) return new RpcError(ErrorCode.InternalError, error.message);
  return new RpcError(ErrorCode.InternalError, `Internal error (id ${record(call, error)})`);
}

/**
 * The number that stands for another one in the modern era, which numbers a missing resource differently and keeps
 * -32020 to -32099 for what it defines itself (2026-07-28, base protocol, "Error Codes").
 */
function modernCode(code: number): number {
  if (code === ErrorCode.ResourceNotFound) return ErrorCode.InvalidParams;
  const isUndefined = code < ErrorCode.UnsupportedProtocolVersion && code >= -32_099;
  return isUndefined ? ErrorCode.InternalError : code;
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
