/**
 * Tasks: calls of tools that take longer than anybody wants to wait for an answer. For clients: give `tasks()` to the `extensions` of
 * `connect()`.
 *
 * @packageDocumentation
 */
import type { TaskHandle } from "./task-handle.ts";
import type { CallTaskOptions } from "./tasks.ts";

export { TaskError, type TaskErrorCode } from "./task-error.ts";
export type { TaskHandle } from "./task-handle.ts";
export type { TaskRef } from "./task-ref.ts";
export type { TaskState, TaskStatus } from "./task-snapshot.ts";
export { tasks, type CallTaskOptions, type ResumeOptions, type Tasks, type TasksOptions } from "./tasks.ts";
export type { TaskGeneration } from "./wire.ts";

declare module "@toolwire/client" {
  interface CallMembers {
    /** Returns a handle at once, whether or not the server makes a task of the call. Takes `tasks()` in the `extensions`. */
    readonly task?: boolean | CallTaskOptions | undefined;
  }

  interface CallOutcomes<Result> {
    readonly task: TaskHandle<Result>;
  }
}
