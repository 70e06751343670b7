import { inspect } from "node:util";
import type { GatewayEvent } from "../gateway.ts";
import type { CallRecord } from "../log/call-record.ts";
import type { Redactor } from "../secrets/redactor.ts";

/** An event without secrets: what others answer may repeat what they were sent. */
export function redactEvent(event: GatewayEvent, redactor: Redactor): GatewayEvent {
  const { error } = event;
  const message = redactor.redact(event.message);
  if (error === undefined) return { ...event, message };
  return {
    ...event,
    message,
    error: redactor.redact(error instanceof Error ? (error.stack ?? error.message) : inspect(error)),
  };
}

/** A failure of an API, for the operator. The caller was told less. */
export function eventOf({ id, server, tool, outcome, durationMs }: CallRecord, failure: string): GatewayEvent {
  return { level: "warning", server, message: failure, call: { id, tool, outcome, durationMs } };
}
