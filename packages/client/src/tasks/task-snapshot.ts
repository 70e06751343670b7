import { ProtocolViolation } from "@toolwire/protocol";
import { escapeUnprintable, isObject } from "@toolwire/protocol/internal";

/** The states of a task. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

const STATUSES: ReadonlySet<unknown> = new Set<TaskStatus>([
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
]);

/** What a server says about a task, as far as it is for people. */
export interface TaskState {
  readonly status: TaskStatus;
  /** What the task does at the moment, or why it has ended, in words of the server. Shortened, without control characters. */
  readonly message: string | undefined;
  /** When the task was made, and when it last changed, by the clock of the server; as it wrote them. */
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  /** How many milliseconds after it was made the server may forget the task; `null` if it keeps it. It may change. */
  readonly ttl: number | null;
}

/** A task as it was read: its state, and what comes with that. */
export interface TaskSnapshot {
  readonly id: string;
  readonly state: TaskState;
  /** How many milliseconds the server wants to pass between two looks at the task. Untrusted. */
  readonly pollInterval: unknown;
  /** The result, of a task of the extension that is completed. */
  readonly result: object | undefined;
  /** The error, of a task of the extension that has failed. */
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
  /** The questions that are open, of a task of the extension that waits for input. */
  readonly questions: { readonly [key: string]: unknown } | undefined;
}

/** The names of members that differ between the two protocols, and whether the state brings its result along. */
export interface TaskMembers {
  readonly ttl: string;
  readonly pollInterval: string;
  readonly isDetailed: boolean;
}

const MAX_ID = 1024;
const MAX_MESSAGE = 1024;
const MAX_DATE = 64;

/**
 * Reads what a server says about a task. Throws a `ProtocolViolation` if that is malformed, or about another task than the one that was
 * asked for. A task that was just made does not bring its result along.
 */
export function readTask(
  method: string,
  given: unknown,
  members: TaskMembers,
  expectedId: string | undefined,
): TaskSnapshot {
  const complain = (problem: string): Error =>
    new ProtocolViolation("INVALID_RESULT", `The server's answer to ${method} breaks the protocol: ${problem}.`);
  if (!isObject(given)) throw complain("a task must be an object");
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, result, error, inputRequests } = given;
  // The id travels in a header, which cannot hold half of a surrogate pair.
  if (typeof taskId !== "string" || taskId === "" || taskId.length > MAX_ID || /\p{Surrogate}/u.test(taskId)) {
    throw complain(`\`taskId\` must be text of 1 to ${MAX_ID} characters`);
  }
  if (expectedId !== undefined && taskId !== expectedId) throw complain("`taskId` is that of another task");
  if (!STATUSES.has(status)) throw complain(`\`status\` must be one of ${[...STATUSES].join(", ")}`);
  if (members.isDetailed && expectedId !== undefined) {
    if (status === "completed" && !isObject(result)) throw complain("a completed task must have its `result`");
    if (status === "failed" && !isError(error)) throw complain("a failed task must have its `error`");
    if (status === "input_required" && !isObject(inputRequests)) throw complain("it must have its `inputRequests`");
  }
  const ttl = given[members.ttl];
  return {
    id: taskId,
    state: {
      status: status as TaskStatus,
      message: typeof statusMessage === "string" ? shorten(statusMessage) : undefined,
      createdAt: readDate(createdAt),
      updatedAt: readDate(lastUpdatedAt),
      ttl: typeof ttl === "number" && ttl >= 0 ? ttl : null,
    },
    pollInterval: given[members.pollInterval],
    result: status === "completed" && isObject(result) ? result : undefined,
    error: status === "failed" && isError(error) ? error : undefined,
    questions: status === "input_required" && isObject(inputRequests) ? inputRequests : undefined,
  };
}

/** Whether a task has ended, so that it cannot change any more. */
export function isOver({ status }: TaskState): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Whether two states look the same to people. */
export function isSameState(one: TaskState, other: TaskState): boolean {
  return (Object.keys(one) as (keyof TaskState)[]).every((member) => one[member] === other[member]);
}

function isError(error: unknown): error is { code: number; message: string; data?: unknown } {
  return isObject(error) && typeof error["code"] === "number" && typeof error["message"] === "string";
}

function readDate(date: unknown): string | undefined {
  return typeof date === "string" && date.length <= MAX_DATE && !Number.isNaN(Date.parse(date)) ? date : undefined;
}

function shorten(message: string): string {
  const text = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  return escapeUnprintable(text);
}

/** What is known of a task before it was read for the first time. */
export function unreadTask(id: string): TaskSnapshot {
  const state = {
    status: "working",
    message: undefined,
    createdAt: undefined,
    updatedAt: undefined,
    ttl: null,
  } as const;
  return { id, state, pollInterval: undefined, result: undefined, error: undefined, questions: undefined };
}
