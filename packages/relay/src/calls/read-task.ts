/** Reads what a modern upstream says about a task. Nothing of it is trusted. */
import { ProtocolViolation } from "@toolwire/client";
import { isObject } from "@toolwire/protocol/internal";
import type { Clear } from "../text/clear.ts";

/** What an upstream says about a task. */
export interface UpstreamTask {
  readonly status: string;
  readonly message: unknown;
  /** Milliseconds until the next look. */
  readonly interval: number;
  readonly result: { readonly [member: string]: unknown };
  readonly error: { readonly [member: string]: unknown };
  readonly questions: { readonly [key: string]: unknown };
}

const MAX_ID = 1024;
const STATUSES: ReadonlySet<unknown> = new Set(["working", "input_required", "completed", "failed", "cancelled"]);

/** The shortest, the usual and the longest time between two looks, whatever the upstream wants. */
const INTERVAL = { least: 50, usual: 1000, most: 60_000 };

/** Whether a result says that the call has become a task. */
export function isTask(result: object): boolean {
  return (result as { readonly resultType?: unknown }).resultType === "task";
}

/** Reads the id of a task that was made. Throws a `ProtocolViolation` if it can be none. */
export function readTaskId(created: object, clear: Clear): string {
  const { taskId } = created as { readonly taskId?: unknown };
  // It is kept with the call of its caller.
  if (typeof taskId === "string" && clear(taskId) !== taskId) throw violation("`taskId` has credentials in it");
  // It travels in a header, which cannot hold half of a surrogate pair.
  if (typeof taskId === "string" && taskId !== "" && taskId.length <= MAX_ID && !/\p{Surrogate}/u.test(taskId)) {
    return taskId;
  }
  throw violation(`\`taskId\` must be text of 1 to ${MAX_ID} characters`);
}

/** Reads the state of a task. Throws a `ProtocolViolation` if it is malformed, or that of another task. */
export function readTask(given: object, id: string): UpstreamTask {
  const task = given as { readonly [member: string]: unknown };
  const { status, statusMessage: message, pollIntervalMs, result, error, inputRequests } = task;
  if (task["taskId"] !== id) throw violation("`taskId` is that of another task");
  if (!STATUSES.has(status)) throw violation("`status` is none that there is");
  const has = { completed: result, failed: error, input_required: inputRequests };
  const missing = Object.entries(has).find(([name, member]) => status === name && !isObject(member));
  if (missing !== undefined) throw violation(`what comes with the status ${missing[0]} is missing`);
  const wanted = typeof pollIntervalMs === "number" && !Number.isNaN(pollIntervalMs) ? pollIntervalMs : INTERVAL.usual;
  return {
    status: status as string,
    message,
    interval: Math.min(Math.max(wanted, INTERVAL.least), INTERVAL.most),
    result: isObject(result) ? result : {},
    error: isObject(error) ? error : {},
    questions: isObject(inputRequests) ? inputRequests : {},
  };
}

/** The error for a server that breaks the rules of tasks. */
export function violation(problem: string): ProtocolViolation {
  return new ProtocolViolation("INVALID_RESULT", `A task of the server breaks the protocol: ${problem}.`);
}
