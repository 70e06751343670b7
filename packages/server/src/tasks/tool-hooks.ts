import { ErrorCode, RpcError, type Revision, type Tool } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { CallJournal, ExtendedCall, NamedTool, ToolHooks } from "../define/tool-hooks.ts";
import { invalidParams } from "../errors.ts";
import { releaseTimer } from "../timers.ts";
import { createTask, handOver } from "./begin-task.ts";
import { missingExtension } from "./gate.ts";
import { readTaskOptions, type TaskPlan } from "./options.ts";
import { setTask, TaskCallState } from "./task-context.ts";
import { TaskRun } from "./task-run.ts";
import type { TaskWorker } from "./worker.ts";

/** The only revision in which tasks are a part of the protocol itself. */
export const LEGACY_TASKS: Revision = "2025-11-25";
/** The revisions in which tasks are an extension. */
export const EXTENSION_TASKS: readonly Revision[] = ["2026-07-28"];

type Next = () => Promise<object>;

/** What is done with each tool of a server. Also with those without `task`: clients of 2025-11-25 may ask for one all the same. */
export function hooksOf({ name, definition }: NamedTool, worker: () => TaskWorker): ToolHooks {
  const plan = readTaskOptions(name, definition.task);
  return {
    list: (listing, revision) => listWith(plan, listing, revision),
    call: (call, next) => callWith(plan, call, next, worker),
  };
}

/** Lists the tool in the revisions in which it can be called, and says in that of 2025-11-25 whether it can be a task. */
function listWith(plan: TaskPlan | undefined, listing: Tool, revision: Revision): Tool | undefined {
  if (plan === undefined || plan.mode === "forbidden") return listing;
  if (revision === LEGACY_TASKS) return { ...listing, execution: { taskSupport: plan.mode } } as Tool;
  return plan.mode === "required" && !EXTENSION_TASKS.includes(revision) ? undefined : listing;
}

async function callWith(
  plan: TaskPlan | undefined,
  call: ExtendedCall,
  next: Next,
  worker: () => TaskWorker,
): Promise<object> {
  if (call.run instanceof TaskRun) {
    setTask(call.context, new TaskCallState(call.run));
    return next();
  }
  const wish = readWish(call);
  if (wish !== undefined && (plan === undefined || plan.mode === "forbidden")) {
    throw new RpcError(ErrorCode.MethodNotFound, `The tool "${call.tool.name}" cannot be called as a task.`);
  }
  if (plan === undefined) return next();
  const isPossible = plan.mode !== "forbidden" && (wish !== undefined || call.isDeclared);
  if (!isPossible) {
    if (plan.mode === "required") throw refuseWithout(call);
    setTask(call.context, new TaskCallState(undefined));
    return next();
  }
  // A client that asks for a task expects one, and asks nothing about when.
  const begin = wish === undefined ? plan.begin : "now";
  if (begin === "now") return beginNow(worker(), call, plan, next, wish?.ttl);
  return beginLater(worker(), call, plan, next, begin);
}

/** Makes the call a task before anything runs. Calls with arguments that do not fit do not become one. */
async function beginNow(
  worker: TaskWorker,
  call: ExtendedCall,
  plan: TaskPlan,
  next: Next,
  ttl: number | undefined,
): Promise<object> {
  if (!(await call.validate()).ok) return next();
  const state = new TaskCallState(undefined);
  const task = await createTask(worker, call, { id: state.reserved, plan, ttl, isStarted: false });
  const run = await handOver(worker, call, task);
  state.becomes(run);
  setTask(call.context, state);
  await worker.reserve(run);
  if (run.stopped === undefined) await run.start();
  if (run.stopped !== undefined) throw run.stopped;
  return next();
}

/** Makes the call a task when its handler says so, or when it has taken a while. */
async function beginLater(
  worker: TaskWorker,
  call: ExtendedCall,
  plan: TaskPlan,
  next: Next,
  begin: "manual" | number,
): Promise<object> {
  let hasEnded = false;
  let beginning: Promise<void> | undefined;
  const become = async (state: TaskCallState, message: string | undefined): Promise<void> => {
    const journal = readJournal(call);
    const task = await createTask(worker, call, { id: state.reserved, plan, message, journal, isStarted: true });
    if (hasEnded) {
      await worker.records.delete(task.id);
      return;
    }
    const run = await handOver(worker, call, task);
    worker.occupy(run);
    state.becomes(run);
  };
  const state = new TaskCallState(undefined, (own, message) => (beginning ??= become(own, message)));
  setTask(call.context, state);
  const timer = begin === "manual" ? undefined : setTimeout(() => void state.begin().catch(() => undefined), begin);
  releaseTimer(timer);
  try {
    return await next();
  } finally {
    hasEnded = true;
    clearTimeout(timer);
  }
}

/** What the call has asked and done so far; nothing, if its handler has not begun because of middleware that takes its time. */
function readJournal(call: ExtendedCall): CallJournal | undefined {
  try {
    return call.journal();
  } catch {
    return undefined;
  }
}

/** The wish for a task, of a client of 2025-11-25. In other revisions the parameter means nothing. */
function readWish({ context, params }: ExtendedCall): { readonly ttl: number | undefined } | undefined {
  if (context.revision !== LEGACY_TASKS) return undefined;
  const { task } = params as { readonly task?: unknown };
  if (task === undefined) return undefined;
  const ttl = isObject(task) ? task["ttl"] : null;
  if (ttl === undefined) return { ttl };
  if (typeof ttl === "number" && Number.isSafeInteger(ttl) && ttl > 0) return { ttl };
  throw invalidParams("`task` must be an object, and its `ttl` a whole number of milliseconds above 0.");
}

/** Refuses a client that would have to take a task, and does not know tasks. */
function refuseWithout({ context, tool }: ExtendedCall): RpcError {
  const subject = `The tool "${tool.name}" runs as a task only`;
  if (EXTENSION_TASKS.includes(context.revision)) return missingExtension(subject);
  if (context.revision === LEGACY_TASKS) {
    return new RpcError(ErrorCode.MethodNotFound, `${subject}: call it with the parameter \`task\`.`);
  }
  return invalidParams(`${subject}, and revision ${context.revision} has none.`);
}
