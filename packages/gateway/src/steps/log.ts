import { isObject } from "@toolwire/protocol/internal";
import {
  type CallToolResult,
  ErrorCode,
  type RequestCall,
  RpcError,
  ToolError,
  InsufficientScope,
} from "@toolwire/server";
import type { CallRecord, Outcome } from "../log/call-record.ts";
import type { PipelineHost } from "./policy.ts";
import type { RunningCall } from "./running-call.ts";

/** The end of a call: a result, or the error that was thrown. */
export type Ending =
  | { readonly result: object; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: unknown };

/**
 * Step 6: makes the record of the call and hands it to the log, which returns at once. Every call gets exactly one record,
 * before its answer is written. Its texts are whole: the log takes secrets out of them, and shortens them then.
 */
export function log(call: RunningCall, request: RequestCall, host: PipelineHost, ending: Ending): void {
  const record = makeRecord(call, request, host, ending);
  host.record(record, record.outcome === "cancelled" ? undefined : call.failure);
}

function makeRecord(call: RunningCall, request: RequestCall, host: PipelineHost, ending: Ending): CallRecord {
  const { context } = call;
  const { clientInfo } = context;
  const outcome = outcomeOf(call, request, ending);
  const args = writeArguments(call.args);
  return {
    id: call.id,
    at: call.at,
    node: host.node,
    server: call.server,
    tool: call.tool,
    source: call.source,
    principal: call.principal,
    clientName: clientInfo?.name,
    clientVersion: clientInfo?.version,
    userAgent: request.origin.header?.("user-agent"),
    revision: context.revision,
    outcome,
    rpcCode: rpcCodeOf(ending.error),
    httpStatus: call.httpStatus,
    attempts: call.attempts,
    durationMs: performance.now() - call.start,
    steps: call.steps,
    firstByteMs: call.firstByteMs,
    requestBytes: Buffer.byteLength(args),
    responseBytes: call.responseBytes,
    isTruncated: call.isTruncated,
    error: outcome === "ok" ? undefined : explain(outcome, ending),
    traceId: request.trace?.traceId ?? traceIdOf(request),
    capture: call.policy.capture ? { arguments: args, response: textOf(ending.result) ?? "" } : undefined,
  };
}

/** A step that knows better has said so. Otherwise the end of the call tells. */
function outcomeOf(call: RunningCall, request: RequestCall, { result, error }: Ending): Outcome {
  if (request.isCancelled || (request.isDetached && call.signal.aborted)) return "cancelled";
  if (call.outcome !== undefined) return call.outcome;
  if (result === undefined) return outcomeOfError(call, error);
  if ((result as CallToolResult).isError !== true) return "ok";
  return call.found !== undefined && !call.hasRun ? "invalid-arguments" : "tool-error";
}

function outcomeOfError(call: RunningCall, error: unknown): Outcome {
  if (error instanceof ToolError) return "tool-error";
  if (error instanceof InsufficientScope) return "denied";
  // Refused before it ran, as if it did not exist: tools of upstreams may be those of another caller.
  const isRefused = error instanceof RpcError && error.code === ErrorCode.InvalidParams && !call.hasRun;
  return isRefused ? "denied" : "error";
}

function rpcCodeOf(error: unknown): number | undefined {
  if (error === undefined || error instanceof ToolError) return undefined;
  return error instanceof RpcError ? error.code : ErrorCode.InternalError;
}

/** The text that the caller gets. */
function explain(outcome: Outcome, { result, error }: Ending): string | undefined {
  if (outcome === "cancelled") return "The caller cancelled the call.";
  const known = error instanceof RpcError || error instanceof ToolError ? error.message : "Internal error";
  return result === undefined ? known : textOf(result);
}

/** The texts of a result. */
function textOf(result: object | undefined): string | undefined {
  const { content } = (result ?? {}) as { readonly content?: unknown };
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((block: unknown) =>
    isObject(block) && typeof block["text"] === "string" ? block["text"] : "",
  );
  return texts.join("\n");
}

function writeArguments(args: unknown): string {
  return args === undefined ? "{}" : ((JSON.stringify(args) as string | undefined) ?? "");
}

/** The trace id of W3C Trace Context, from `_meta` as the protocol has it, or from the header. */
function traceIdOf({ params, origin }: RequestCall): string | undefined {
  const { _meta: meta } = (params ?? {}) as { readonly _meta?: { readonly traceparent?: unknown } };
  const inMeta: unknown = meta?.traceparent;
  const text = typeof inMeta === "string" ? inMeta : origin.header?.("traceparent");
  return text === undefined ? undefined : /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(text)?.[1];
}
