/** How each of the two protocols shows a task. One record, two faces: nothing that depends on a revision is kept. */
import type { CallToolResult, InputRequests } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { isWaiting, type TaskBody, type TaskError, type TaskStatus } from "./body.ts";
import { MAX_MESSAGE } from "./task-run.ts";

/** The identifier of the extension. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** The member of `_meta` that ties a message to a task (2025-11-25, "Related Task Metadata"). */
export const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** What both protocols say about a task. */
interface Told {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
}

/** A task as clients of 2025-11-25 see it. */
export interface LegacyTask extends Told {
  readonly ttl: number | null;
  readonly pollInterval: number;
}

/** A task as clients of the extension see it. */
export interface ExtensionTask extends Told {
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

/** A task with everything that its status comes with. */
export interface DetailedTask extends ExtensionTask {
  readonly inputRequests?: InputRequests;
  readonly result?: object;
  readonly error?: TaskError;
}

/** How long to wait between two looks at a young task, and at an old one. */
const POLL = { young: 1000, old: 5000 };
const OLD_AGE = 60_000;

/** Describes a task for clients of 2025-11-25, where a result with `isError` is a failure. */
export function describeLegacy(task: TaskBody): LegacyTask {
  const { outcome } = task;
  const hasFailed = outcome?.kind === "result" && outcome.result.isError === true;
  const told = tell(task, hasFailed ? "failed" : statusOf(task), hasFailed ? firstText(outcome.result) : undefined);
  return { ...told, ttl: task.ttl, pollInterval: pollOf(task) };
}

/** Describes a task for clients of the extension, where only a JSON-RPC error is a failure. */
export function describeTask(task: TaskBody): ExtensionTask {
  return { ...tell(task, statusOf(task), undefined), ttlMs: task.ttl, pollIntervalMs: pollOf(task) };
}

/** Describes a task with its questions, its result or its error. */
export function detailTask(task: TaskBody): DetailedTask {
  const { outcome, open } = task;
  const description = describeTask(task);
  if (outcome?.kind === "result") return { ...description, result: { resultType: "complete", ...outcome.result } };
  if (outcome?.kind === "error") return { ...description, error: outcome.error };
  if (!isWaiting(task)) return description;
  const questions = Object.entries(open).map(([key, { request }]) => [key, request] as const);
  return { ...description, inputRequests: Object.fromEntries(questions) };
}

/**
 * The result of a task as `tasks/result` of 2025-11-25 returns it: that of the call, tied to the task. Structured content is an object
 * there; anything else is in the text.
 */
export function legacyResult({ id }: TaskBody, result: CallToolResult): object {
  const { structuredContent, content, _meta, ...rest } = result;
  const fits = structuredContent === undefined || isObject(structuredContent);
  const hasText = fits || content.some(({ type }) => type === "text");
  return {
    ...rest,
    content: hasText ? content : [...content, { type: "text", text: JSON.stringify(structuredContent) }],
    ...(fits && structuredContent !== undefined && { structuredContent }),
    _meta: { ..._meta, [RELATED_TASK]: { taskId: id } },
  };
}

function statusOf(task: TaskBody): TaskStatus {
  switch (task.outcome?.kind) {
    case "result":
      return "completed";
    case "error":
      return "failed";
    case "cancelled":
      return "cancelled";
    default:
      return isWaiting(task) ? "input_required" : "working";
  }
}

function tell({ id, createdAt, updatedAt, message }: TaskBody, status: TaskStatus, problem: string | undefined): Told {
  const statusMessage = (problem ?? message)?.slice(0, MAX_MESSAGE);
  return {
    taskId: id,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}

function pollOf({ settings, createdAt }: TaskBody): number {
  return settings.poll ?? (Date.now() - createdAt < OLD_AGE ? POLL.young : POLL.old);
}

function firstText({ content }: CallToolResult): string | undefined {
  const block = content.find(({ type }) => type === "text");
  return block?.type === "text" ? block.text : undefined;
}
