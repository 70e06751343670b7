import { ErrorCode, RpcError } from "@toolwire/protocol";
import { errorResult } from "../content/tool-result.ts";
import { methodNotFound, ToolError, unknownName } from "../errors.ts";
import type { ServedRequest } from "./served-request.ts";

/** The error that the caller gets. Errors made for callers pass as they are; for all others, the caller gets an id. */
export function explainError(request: ServedRequest, error: unknown): RpcError {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    const allowed = request.route.keepsCodes === true ? code : request.era.codeOf(code);
    return allowed === code ? error : new RpcError(allowed, message, { data });
  }
  if (error instanceof ToolError) return new RpcError(ErrorCode.InternalError, error.message);
  return new RpcError(ErrorCode.InternalError, `Internal error (id ${recordError(request, error)})`);
}

/** Tells the operator of an error in full. Returns the id that the caller is given instead. */
export function recordError(request: ServedRequest, error: unknown): string {
  const errorId = crypto.randomUUID();
  const what = request.tool === undefined ? request.method : `Tool "${request.tool.name}"`;
  // A handler that was told to stop usually throws; operators need not know.
  const wasStopped = request.isOver || (request.run !== undefined && request.signal.aborted);
  const level = wasStopped ? "debug" : "error";
  request.diagnose({ level, message: `${what} failed (id ${errorId}).`, error, errorId });
  return errorId;
}

/** A kind of definition that a server may have or not, as its capabilities name it. */
export type Kind = "tools" | "prompts" | "resources" | "completions";

/** Throws -32601 if the server has nothing of a kind: then it does not serve the methods for that kind, either. */
export function expectKind({ definition, method }: ServedRequest, kind: Kind): void {
  if (definition.capabilities[kind] === undefined) throw methodNotFound(method);
}

/**
 * Answers the call of a tool that does not exist, or that the caller may not know of: with an error, or with a result that
 * the model reads, as the server's option `unknownTool` says.
 */
export function refuseUnknownTool({ definition }: ServedRequest, name: string): object {
  const error = unknownName("tool", name);
  if (definition.unknownTool === "error") throw error;
  return errorResult(error.message);
}
