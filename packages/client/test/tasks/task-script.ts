/** Servers that are nothing but a script about one task, so that tests see every message about it. */
import { connect, type Client, type ClientExtension, type ClientOptions, type RequestMessage } from "@toolwire/client";
import { tasks, type Tasks, type TasksOptions } from "@toolwire/client/tasks";
import { legacyServer, modernServer, type Fields, type Script, type ScriptedServer } from "../scripted-server.ts";

export const ID = "task-1";
const TASKS = "io.modelcontextprotocol/tasks";

/** The result that tasks of these tests come to. */
export const DONE = { resultType: "complete", content: [{ type: "text", text: "done" }] };

/** What a server says about a task. Members that are given replace those that make sense. */
export function taskOf(status: string, more: object = {}): object {
  return {
    taskId: ID,
    status,
    createdAt: "2026-07-28T10:00:00Z",
    lastUpdatedAt: "2026-07-28T10:00:00Z",
    ttlMs: null,
    pollIntervalMs: 1,
    ...more,
  };
}

export const WORKING = taskOf("working");
export const COMPLETED = taskOf("completed", { result: DONE });

/** What `tasks/get` answers, one after the other; the last one again and again. Functions are called for the answer. */
export type Looks = readonly (object | (() => object | Promise<object>))[];

/** Answers with one item after the other. */
function inTurn(looks: Looks): (params: Fields) => object | Promise<object> {
  let next = 0;
  return () => {
    const look = looks[Math.min(next++, looks.length - 1)]!;
    const answer = typeof look === "function" ? (look as () => object | Promise<object>)() : look;
    return answer instanceof Promise ? answer : { resultType: "complete", ...answer };
  };
}

export const DISCOVERY = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {}, prompts: {}, extensions: { [TASKS]: {} } },
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "tasks", version: "1.0.0" } },
};

/** A server of the extension that answers each call with a task. */
export function taskServer(looks: Looks = [COMPLETED], script: Script = {}): ScriptedServer {
  return modernServer({
    "server/discover": DISCOVERY,
    "tools/call": { resultType: "task", ...WORKING },
    "tasks/get": inTurn(looks),
    "tasks/update": { resultType: "complete" },
    "tasks/cancel": { resultType: "complete" },
    ...script,
  });
}

/** A server of 2025-11-25 whose tool `slow` can, must or must not be a task. */
export function legacyTaskServer(
  looks: Looks,
  script: Script = {},
  taskSupport?: string,
  more: object = {},
): ScriptedServer {
  const execution = taskSupport === undefined ? {} : { execution: { taskSupport } };
  return legacyServer({
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } }, ...more },
      serverInfo: { name: "legacy", version: "1.0.0" },
    },
    "tools/list": { tools: [{ name: "slow", inputSchema: { type: "object" }, ...execution }] },
    "tools/call": ({ task }: Fields) => (task === undefined ? plain : { task: legacyTask("working") }),
    "tasks/get": inTurn(looks),
    "tasks/result": plain,
    "tasks/cancel": () => legacyTask("cancelled"),
    ...script,
  });
}

const plain = { content: [{ type: "text", text: "done" }] };

/** What a server of 2025-11-25 says about a task. */
export function legacyTask(status: string, more: object = {}): object {
  const { ttlMs: _ttl, pollIntervalMs: _poll, ...task } = taskOf(status) as Record<string, unknown>;
  return { ...task, ttl: null, pollInterval: 1, ...more };
}

/** A client with tasks, and what it has. */
export interface TaskClient {
  readonly client: Client;
  readonly extension: ClientExtension<Tasks>;
}

/** Connects to a server with `tasks()`. */
export async function connectTasks(
  server: Pick<ScriptedServer, "channel">,
  options: ClientOptions = {},
  taskOptions: TasksOptions = {},
): Promise<TaskClient> {
  const extension = tasks(taskOptions);
  const client = await connect(server.channel, { onDiagnostic: () => {}, ...options, extensions: [extension] });
  return { client, extension };
}

/** The parameters of all requests of a method, without `_meta`. */
export function sent(server: ScriptedServer, method: string): object[] {
  return server.requests(method).map(({ params }: RequestMessage) => {
    const { _meta, ...rest } = (params ?? {}) as { readonly _meta?: unknown };
    return rest;
  });
}
