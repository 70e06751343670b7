/** Which tools of upstreams can answer with a task, and how they are asked to. */
import type { Client, Tool } from "@toolwire/client";
import { isObject } from "@toolwire/protocol/internal";
import type { Context } from "@toolwire/server";
import type { TaskContext, TaskOptions } from "@toolwire/server/tasks";

/** The identifier of the extension. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** The only revision in which tasks are a part of the protocol itself. */
const LEGACY_TASKS = "2025-11-25";

/**
 * How a tool of an upstream has tasks: by the extension, where the server decides for each call; or by those of 2025-11-25, where the
 * tool says whether it may or must be called as one.
 */
export type TaskSupport = "extension" | "optional" | "required";

/** How our tools are tasks: a call becomes one as soon as the upstream answers with one. */
export const RELAYED_TASK: TaskOptions = { mode: "optional", begin: "manual", resume: "fail" };

/** How a tool of a server has tasks; `undefined` if it has none. */
export function taskSupportOf(tool: Tool, client: Client | undefined): TaskSupport | undefined {
  if (client === undefined) return undefined;
  const { era, revision, capabilities } = client;
  const { extensions, tasks } = capabilities as { readonly extensions?: unknown; readonly tasks?: unknown };
  if (era === "modern") {
    return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]) ? "extension" : undefined;
  }
  const requests = revision === LEGACY_TASKS && isObject(tasks) ? tasks["requests"] : undefined;
  const tools = isObject(requests) ? requests["tools"] : undefined;
  if (!isObject(tools) || !isObject(tools["call"])) return undefined;
  const { execution } = tool as { readonly execution?: unknown };
  const support = isObject(execution) ? execution["taskSupport"] : undefined;
  return support === "optional" || support === "required" ? support : undefined;
}

/** The task that a call is or may become here; `undefined` in a server without `tasks()`. */
export function taskOf(ctx: Context): TaskContext | undefined {
  return (ctx as { readonly task?: TaskContext }).task;
}
