import { type InputResponses, type JsonObject, ProtocolViolation } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { RequestOptions } from "../call-options.ts";
import type { ExtensionAgreement, ExtensionClient } from "../extensions/extension.ts";
import { readTask, type TaskMembers, type TaskSnapshot } from "./task-snapshot.ts";

/** The protocols that have tasks: the extension for 2026-07-28, and 2025-11-25, where they are a part of the protocol. */
export type TaskGeneration = "2026-07-28" | "2025-11-25";

/** How one of the two protocols asks about a task. */
export interface TaskWire {
  readonly generation: TaskGeneration;
  /** Reads the task that a call was answered with. */
  created(result: JsonObject): TaskSnapshot;
  read(id: string, options: RequestOptions): Promise<TaskSnapshot>;
  /** Reads the task in a notification; `undefined` if it says no more than that something has changed. */
  announced?(params: unknown, id: string): TaskSnapshot | undefined;
  /** Gets the result, as soon as there is one; rejects with the error of the call. Absent: the task brings its result along. */
  result?(id: string, options: RequestOptions): Promise<object>;
  /** Sends answers. Absent: the server asks by requests of its own. */
  answer?(id: string, responses: InputResponses, options: RequestOptions): Promise<void>;
  /** Asks the server to cancel a task. `undefined` if it has said that it cannot. */
  cancel?(id: string, options: RequestOptions): Promise<void>;
}

const EXTENSION_MEMBERS: TaskMembers = { ttl: "ttlMs", pollInterval: "pollIntervalMs", isDetailed: true };
const LEGACY_MEMBERS: TaskMembers = { ttl: "ttl", pollInterval: "pollInterval", isDetailed: false };

/** The protocol by which a server has tasks; `undefined` if it has none. */
export function wireOf(client: ExtensionClient): TaskWire | undefined {
  const { revision, settings, capabilities } = client.agreement;
  if (revision >= "2026-07-28") return settings && extensionWire(client);
  return revision === "2025-11-25" && legacyTasks(capabilities) !== undefined ? legacyWire(client) : undefined;
}

/** Whether calls of tools can become tasks of 2025-11-25. */
export function takesLegacyTasks({ revision, capabilities }: ExtensionAgreement): boolean {
  const requests = revision === "2025-11-25" ? legacyTasks(capabilities)?.["requests"] : undefined;
  const tools = isObject(requests) ? requests["tools"] : undefined;
  return isObject(tools) && isObject(tools["call"]);
}

function legacyTasks(capabilities: object): { readonly [member: string]: unknown } | undefined {
  const { tasks } = capabilities as { readonly tasks?: unknown };
  return isObject(tasks) ? tasks : undefined;
}

/** Whether a result of 2025-11-25, which has no type, is a task that was made. */
export function isLegacyTask({ task, content }: { readonly task?: unknown; readonly content?: unknown }): boolean {
  return isObject(task) && content === undefined;
}

/** The extension: what is known about a task comes with `tasks/get`. */
function extensionWire(client: ExtensionClient): TaskWire {
  return {
    generation: "2026-07-28",
    created: (result) => readTask("tools/call", result, EXTENSION_MEMBERS, undefined),
    async read(taskId, options) {
      // Some servers repeat the type of the result that the call had, as an example of the specification does.
      const lenient = { ...options, resultTypes: ["task"] };
      return readTask("tasks/get", await client.request("tasks/get", { taskId }, lenient), EXTENSION_MEMBERS, taskId);
    },
    announced: (params, id) => readTask("subscriptions/listen", params, EXTENSION_MEMBERS, id),
    async answer(taskId, inputResponses, options) {
      await client.request("tasks/update", { taskId, inputResponses }, options);
    },
    async cancel(taskId, options) {
      await client.request("tasks/cancel", { taskId }, options);
    },
  };
}

/** 2025-11-25: the result is asked for, and the server asks by requests of its own while somebody waits for it. */
function legacyWire(client: ExtensionClient): TaskWire {
  const canCancel = legacyTasks(client.agreement.capabilities)?.["cancel"] !== undefined;
  return {
    generation: "2025-11-25",
    created: (result) => readTask("tools/call", result["task"], LEGACY_MEMBERS, undefined),
    async read(taskId, options) {
      return readTask("tasks/get", await client.request("tasks/get", { taskId }, options), LEGACY_MEMBERS, taskId);
    },
    async result(taskId, options) {
      const result = await client.request("tasks/result", { taskId }, options);
      if (!isLegacyTask(result)) return result;
      const problem = "the result of a task must be that of the call, and not a task again";
      throw new ProtocolViolation(
        "INVALID_RESULT",
        `The server's answer to tasks/result breaks the protocol: ${problem}.`,
      );
    },
    ...(canCancel && {
      async cancel(taskId: string, options: RequestOptions): Promise<void> {
        await client.request("tasks/cancel", { taskId }, options);
      },
    }),
  };
}
