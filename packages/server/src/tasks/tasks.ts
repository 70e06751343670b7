import { type ServerCapabilities, UsageError } from "@toolwire/protocol";
import type { ExtensionMethods, ServerExtension } from "../define/extension.ts";
import { TASKS_EXTENSION } from "./describe-task.ts";
import { extensionMethods } from "./extension-methods.ts";
import { legacyMethods } from "./legacy-methods.ts";
import { readTasksOptions, type TasksOptions } from "./options.ts";
import { taskOf } from "./task-context.ts";
import { EXTENSION_TASKS, hooksOf, LEGACY_TASKS } from "./tool-hooks.ts";
import { taskTopic } from "./watch-topic.ts";
import { TaskWorker, TOPIC } from "./worker.ts";

/**
 * Lets tools run as tasks: those with the option `task`. Serves the extension `io.modelcontextprotocol/tasks` to clients of 2026-07-28,
 * and the tasks of 2025-11-25. Clients of earlier revisions, and those that do not declare tasks, wait for the result as ever.
 *
 * @example
 * ```ts
 * const server = createServer({
 *   name: "reports",
 *   version: "1.0.0",
 *   tools: { report: tool({ task: true, run: async (_args, ctx) => ctx.once("report", () => writeReport(ctx.signal)) }) },
 *   extensions: [tasks()],
 * });
 * ```
 */
export function tasks(options: TasksOptions = {}): ServerExtension {
  const settings = readTasksOptions(options);
  let current: TaskWorker | undefined;
  const worker = (): TaskWorker => {
    if (current !== undefined) return current;
    throw new UsageError("INVALID_STATE", "Tasks can be used only while their server is being served.");
  };
  return {
    id: TASKS_EXTENSION,
    settings: (revision) => (EXTENSION_TASKS.includes(revision) ? {} : undefined),
    capabilities: (revision) => (revision === LEGACY_TASKS ? legacyCapabilities(settings.list) : undefined),
    methods: merge(extensionMethods(worker), legacyMethods(worker, settings.list)),
    topics: { [TOPIC]: taskTopic(worker) },
    resultTypes: ["task"],
    toolMembers: ["task"],
    tool: (tool) => hooksOf(tool, worker),
    context: { task: taskOf },
    start(host) {
      if (current !== undefined) {
        const message = `tasks() is used by two servers at the same time, "${current.host.name}" and "${host.name}"`;
        throw new UsageError("INVALID_STATE", `${message}: call it once for each.`);
      }
      const started = new TaskWorker(host, settings);
      current = started;
      started.start();
      return async () => {
        // At once: the server may begin to be served again before everything of the old worker has ended.
        if (current === started) current = undefined;
        await started.close();
      };
    },
  };
}

function legacyCapabilities(hasList: boolean): ServerCapabilities {
  const all = { ...(hasList && { list: {} }), cancel: {}, requests: { tools: { call: {} } } };
  return { tasks: all } as ServerCapabilities;
}

/** Two methods of one name differ by the revisions in which they exist. */
function merge(one: ExtensionMethods, other: ExtensionMethods): ExtensionMethods {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...names].map((name) => [name, [one[name] ?? [], other[name] ?? []].flat()]),
  ) as ExtensionMethods;
}
