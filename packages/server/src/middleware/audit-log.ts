import { isObject, whenAborted, expectFunction } from "@toolwire/protocol/internal";
import { RpcError } from "@toolwire/protocol";
import { ToolError } from "../errors.ts";
import type { ServerMiddleware, RequestCall } from "../define/middleware.ts";

/** The entry that {@link auditLog} writes for one request. */
export interface ServerAuditEntry {
  /** When the request arrived. */
  readonly time: Date;
  readonly method: string;
  /** The tool or prompt that was named, or the URI, as the caller wrote it. */
  readonly target: string | undefined;
  /** The id of the authenticated caller. */
  readonly principal: string | undefined;
  readonly binding: string;
  readonly requestId: string | number;
  /** The trace and the span of the request, if the server has an observer that knows them, such as `serverTelemetry()`. */
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly durationMs: number;
  /**
   * `tool-error`: the tool failed, or was stopped; `error`: a JSON-RPC error; `input-required`: the client was asked a
   * question; `cancelled`: the client cancelled it; `timed-out`: it took longer than `timeLimit` allows, or other
   * middleware aborted it with a `TimeoutError`.
   */
  readonly outcome: "ok" | "tool-error" | "input-required" | "error" | "cancelled" | "timed-out";
  /** The code of the JSON-RPC error, if it was an `RpcError`. */
  readonly errorCode: number | undefined;
}

/**
 * Middleware that passes an entry to `write` once for every request that reaches it, as soon as it is settled or cancelled,
 * whether or not its handler ever stops. Requests that a binding refuses by itself, such as those without authentication or
 * with the wrong headers, do not get here. The entry contains no arguments and results, because they may be secret. If
 * `write` fails, the request does not.
 */
export function auditLog(write: (entry: ServerAuditEntry) => unknown): ServerMiddleware {
  expectFunction("write", write);
  return async (call, next) => {
    const time = new Date();
    const start = performance.now();
    const { context } = call;
    let isWritten = false;
    const record = (outcome: ServerAuditEntry["outcome"], errorCode?: number): void => {
      if (isWritten) return;
      isWritten = true;
      const entry: ServerAuditEntry = {
        time,
        method: call.method,
        target: targetOf(call.params),
        principal: context.principal?.id,
        binding: call.origin.binding,
        requestId: context.requestId,
        ...call.trace,
        durationMs: performance.now() - start,
        outcome: endOf(call, outcome),
        errorCode,
      };
      void tryWrite(write, entry);
    };
    const recordIfOver = (): void => {
      if (call.isOver) record("error");
    };
    const forget = whenAborted(context.signal, () => {
      recordIfOver();
      // A request that middleware aborts may still succeed. Otherwise the middleware answers, and the handler may never end.
      setTimeout(recordIfOver);
    });
    try {
      const result = await next();
      record(outcomeOf(result));
      return result;
    } catch (error) {
      if (error instanceof RpcError) record("error", error.code);
      else record(error instanceof ToolError && call.method === "tools/call" ? "tool-error" : "error");
      throw error;
    } finally {
      forget();
    }
  };
}

/** The outcome in the log. A request that is over before its middleware was stopped from outside. */
function endOf(call: RequestCall, outcome: ServerAuditEntry["outcome"]): ServerAuditEntry["outcome"] {
  if (call.isCancelled) return "cancelled";
  const hasFailed = call.isOver || outcome === "error" || outcome === "tool-error";
  if (hasFailed && isTimeout(call.context.signal.reason)) return "timed-out";
  if (!call.isOver) return outcome;
  return call.tool === undefined ? "error" : "tool-error";
}

/**
 * Whether the reason of an abort is a time limit: a `TimeoutError`, or an error for callers with such a cause. Causes of
 * causes are not checked, because an error may be its own cause.
 */
function isTimeout(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false;
  return [reason, reason.cause].some((error) => error instanceof Error && error.name === "TimeoutError");
}

async function tryWrite(write: (entry: ServerAuditEntry) => unknown, entry: ServerAuditEntry): Promise<void> {
  try {
    await write(entry);
  } catch {
    // A failing log must not make the request fail.
  }
}

function outcomeOf(result: object): "ok" | "tool-error" | "input-required" {
  const { isError, resultType } = result as { isError?: unknown; resultType?: unknown };
  if (isError === true) return "tool-error";
  return resultType === "input_required" ? "input-required" : "ok";
}

function targetOf(params: unknown): string | undefined {
  if (!isObject(params)) return undefined;
  const target = params["name"] ?? params["uri"];
  return typeof target === "string" ? target : undefined;
}
