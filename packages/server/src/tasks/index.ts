/**
 * Tasks: tools that take longer than a client waits. A call is answered with a task at once, and the client asks for its result later.
 *
 * @packageDocumentation
 */
import type { TaskOptions } from "./options.ts";
import type { TaskContext } from "./task-context.ts";

export { delegated, type DelegatedState, type DelegatedWork } from "./delegated.ts";
export { memoryTaskStore } from "./memory-store.ts";
export type { TaskOptions, TasksOptions } from "./options.ts";
export type { TaskRecord, TaskStore } from "./store.ts";
export type { TaskContext } from "./task-context.ts";
export { tasks } from "./tasks.ts";

declare module "@toolwire/server" {
  interface ToolMembers {
    /** Lets the tool run as a task, for clients that know tasks. Takes `tasks()` in the `extensions` of the server. */
    readonly task?: true | TaskOptions | undefined;
  }

  interface ContextMembers {
    /** The task that the call is, or may become. In a server without `tasks()`, it is not there. */
    readonly task: TaskContext;
  }
}
