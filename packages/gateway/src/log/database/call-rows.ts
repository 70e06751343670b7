import type { CallRecord, Outcome, TimedStep } from "../call-record.ts";

/** A row of the call list, as the database gives it. */
export interface CallRow {
  readonly id: string;
  readonly at: number;
  readonly node: string;
  readonly server: string;
  readonly tool: string;
  readonly source: CallRecord["source"];
  readonly principal: string | null;
  readonly client_name: string | null;
  readonly client_version: string | null;
  readonly user_agent: string | null;
  readonly revision: string;
  readonly outcome: Outcome;
  readonly rpc_code: number | null;
  readonly http_status: number | null;
  readonly attempts: number;
  readonly duration_ms: number;
  readonly validate_ms: number | null;
  readonly resolve_ms: number | null;
  readonly authorize_ms: number | null;
  readonly call_ms: number | null;
  readonly transform_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly request_bytes: number;
  readonly response_bytes: number;
  readonly is_truncated: boolean;
  readonly error: string | null;
  readonly trace_id: string | null;
  readonly arguments?: string | null;
  readonly response?: string | null;
}

/** Makes a record of a row. Members that have no value are absent, as in the record that was written. */
export function recordOf(row: CallRow): CallRecord {
  const steps: { [Step in TimedStep]?: number } = {};
  if (row.validate_ms !== null) steps.validate = row.validate_ms;
  if (row.resolve_ms !== null) steps.resolve = row.resolve_ms;
  if (row.authorize_ms !== null) steps.authorize = row.authorize_ms;
  if (row.call_ms !== null) steps.call = row.call_ms;
  if (row.transform_ms !== null) steps.transform = row.transform_ms;
  return {
    id: row.id,
    at: row.at,
    node: row.node,
    server: row.server,
    tool: row.tool,
    source: row.source,
    ...(row.principal !== null && { principal: row.principal }),
    ...(row.client_name !== null && { clientName: row.client_name }),
    ...(row.client_version !== null && { clientVersion: row.client_version }),
    ...(row.user_agent !== null && { userAgent: row.user_agent }),
    revision: row.revision,
    outcome: row.outcome,
    ...(row.rpc_code !== null && { rpcCode: row.rpc_code }),
    ...(row.http_status !== null && { httpStatus: row.http_status }),
    attempts: row.attempts,
    durationMs: row.duration_ms,
    steps,
    ...(row.first_byte_ms !== null && { firstByteMs: row.first_byte_ms }),
    requestBytes: row.request_bytes,
    responseBytes: row.response_bytes,
    isTruncated: row.is_truncated,
    ...(row.error !== null && { error: row.error }),
    ...(row.trace_id !== null && { traceId: row.trace_id }),
    ...(typeof row.arguments === "string" &&
      typeof row.response === "string" && { capture: { arguments: row.arguments, response: row.response } }),
  };
}
