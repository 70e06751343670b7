import { type CallToolParams, ProtocolViolation } from "@toolwire/protocol";
import { expectDuration, expectKnownNames, expectLimit, expectOption, isObject } from "@toolwire/protocol/internal";
import type { ToolCallOptions } from "../call-options.ts";
import type {
  ClientExtension,
  ExtendedCall,
  ExtendedNext,
  ExtensionClient,
  SettledCall,
} from "../extensions/extension.ts";
import type { ToolCallResult } from "../types.ts";
import { Announcements } from "./announcements.ts";
import { TaskDriver, type TaskDriverOptions } from "./task-driver.ts";
import { DrivenHandle, settledHandle, type TaskHandle } from "./task-handle.ts";
import { unreadTask } from "./task-snapshot.ts";
import { checkRef, createRef, type TaskRef } from "./task-ref.ts";
import { isLegacyTask, takesLegacyTasks, wireOf } from "./wire.ts";

/** The id of the extension. */
const ID = "io.modelcontextprotocol/tasks";

/** The options of {@link tasks}. */
export interface TasksOptions {
  /** How many questions a server may ask in the life of a task. Default 100. */
  readonly maxQuestions?: number | undefined;
  /**
   * For how many milliseconds in a row the server of a task may be out of reach. After that, waiting rejects with the last failure, while
   * the task goes on. Default 600 000.
   */
  readonly maxSilence?: number | undefined;
}

/** The options of {@link Tasks.resumeTask}. */
export interface ResumeOptions {
  /** Cancels the task when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** What `client.use()` returns for {@link tasks}. */
export interface Tasks {
  /**
   * Goes on with a task that was begun earlier, by its `ref`, also in another process. Refuses the `ref` of another server, and rejects
   * with `LOST` if the server does not know the task any more.
   */
  resumeTask<Result = ToolCallResult<unknown>>(ref: TaskRef, options?: ResumeOptions): Promise<TaskHandle<Result>>;
}

/** The option `task` of a call, when the caller wants a handle. */
export interface CallTaskOptions {
  /**
   * How many milliseconds the server should keep the task. Servers of 2025-11-25 may take that into account; others decide on their own.
   */
  readonly ttl?: number | undefined;
}

/** Where the driver of a call that was answered with a task goes: into the options of that call, unseen by everybody else. */
const BEGUN = Symbol("begun");

/** A call whose caller wants a handle. */
type FollowedOptions = ToolCallOptions & { readonly [BEGUN]?: (driver: TaskDriver) => void };

/**
 * Lets servers answer calls of tools with tasks, and waits for their results: the tasks of 2025-11-25, and the extension that took their
 * place. `callTool()` resolves to the final result as ever, or with the option `task` to a handle.
 */
export function tasks(given: TasksOptions = {}): ClientExtension<Tasks> {
  expectKnownNames("tasks", given, { maxQuestions: true, maxSilence: true });
  const maxQuestions = expectLimit("maxQuestions", given.maxQuestions, 100, 0);
  const maxSilence = expectDuration("maxSilence", given.maxSilence ?? 600_000);
  const all = new WeakMap<ExtensionClient, Announcements>();
  const announcementsOf = (client: ExtensionClient): Announcements => {
    const announcements = all.get(client) ?? new Announcements(client);
    all.set(client, announcements);
    return announcements;
  };
  const drive = (
    client: ExtensionClient,
    task: Pick<TaskDriverOptions, "wire" | "first" | "request" | "signal">,
  ): TaskDriver =>
    new TaskDriver({ ...task, client, announcements: announcementsOf(client), maxQuestions, maxSilence });

  const begin = async (result: object, call: SettledCall): Promise<object> => {
    const { client, method, params, signal } = call;
    const wire = wireOf(client);
    const isAsked = wire?.generation !== "2025-11-25" || isObject((params as { readonly task?: unknown }).task);
    if (wire === undefined || !isAsked) throw unasked();
    const first = wire.created(result as never);
    const driver = drive(client, { wire, first, request: { method, params }, signal });
    (call.options as FollowedOptions)[BEGUN]?.(driver);
    return driver.run();
  };

  return {
    id: ID,
    settings: (revision) => (revision >= "2026-07-28" ? {} : undefined),
    methods: {
      "tasks/get": { nameParam: "taskId", revisions: ["2025-11-25", "2026-07-28"] },
      "tasks/update": { nameParam: "taskId" },
      "tasks/cancel": { nameParam: "taskId", revisions: ["2025-11-25", "2026-07-28"] },
      "tasks/result": { revisions: ["2025-11-25"] },
    },
    topics: ["taskIds"],
    notifications: {
      "notifications/tasks/status": (params, client) => announcementsOf(client).notified(params),
    },
    resultTypes: {
      task: {
        methods: ["tools/call"],
        recognizes: isLegacyTask,
        settle: begin,
      },
    },
    callMembers: ["task"],
    call: callWithTask,
    api: (client) => ({
      async resumeTask<Result>(ref: TaskRef, options: ResumeOptions = {}): Promise<TaskHandle<Result>> {
        const wire = checkRef(ref, client, wireOf(client));
        const request = { method: "tools/call", params: { name: ref.tool } };
        const driver = drive(client, { wire, first: unreadTask(ref.id), request, signal: options.signal });
        // Whether there is such a task at all.
        await driver.refresh();
        const outcome = driver.run().then((result) => client.checkResult(ref.tool, result));
        return new DrivenHandle(driver, outcome, () => ref) as object as TaskHandle<Result>;
      },
    }),
  };
}

/** Sends a call so that the server may answer with a task, and returns its handle if the caller wants one. */
async function callWithTask({ params, options, client }: ExtendedCall, next: ExtendedNext): Promise<object> {
  const wanted = expectTaskOption(options.task);
  const sent = await addLegacyTask(params, wanted, client, options.signal);
  if (wanted === undefined) return next({ params: sent });
  return new Promise((resolve, reject) => {
    let handle: DrivenHandle | undefined;
    const begun = (driver: TaskDriver): void => {
      if (handle !== undefined) handle.follow(driver);
      else {
        handle = new DrivenHandle(driver, outcome, (now) => createRef(client, now, params.name));
        resolve(handle);
      }
    };
    const followed: FollowedOptions = { ...options, [BEGUN]: begun };
    const outcome = next({ params: sent, options: followed });
    outcome.then((result) => resolve(settledHandle(result)), reject);
  });
}

/** Checks the option `task`. `undefined`: the caller wants the result. */
function expectTaskOption(given: unknown): CallTaskOptions | undefined {
  if (given === undefined || given === false) return undefined;
  if (given === true) return {};
  expectOption("task", given, isObject(given), "true, false or { ttl }");
  expectKnownNames("task", given as object, { ttl: true });
  const { ttl } = given as CallTaskOptions;
  if (ttl !== undefined) expectLimit("ttl", ttl, ttl);
  return given as CallTaskOptions;
}

/**
 * Asks for a task by the parameters of the call, as 2025-11-25 has it: if the tool can only be called like that, or if it can and the
 * caller wants a task. Servers that say nothing of tasks, and tools that do not, must not be asked ("Tool-Level Negotiation").
 */
async function addLegacyTask(
  params: CallToolParams,
  wanted: CallTaskOptions | undefined,
  client: ExtensionClient,
  signal: AbortSignal | undefined,
): Promise<CallToolParams> {
  if (!takesLegacyTasks(client.agreement)) return params;
  const tool = (await client.findTool(params.name, { signal })) as { readonly execution?: unknown } | undefined;
  const execution = tool?.execution;
  const support = isObject(execution) ? execution["taskSupport"] : undefined;
  const isTask = support === "required" || (support === "optional" && wanted !== undefined);
  return isTask ? ({ ...params, task: { ...wanted } } as CallToolParams) : params;
}

/** The error for a task that the call cannot have been answered with. */
function unasked(): ProtocolViolation {
  const message =
    "The server's answer to tools/call breaks the protocol: it is a task, for which the call has not asked.";
  return new ProtocolViolation("INVALID_RESULT", message);
}
