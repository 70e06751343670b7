import { isObject } from "@toolwire/protocol/internal";
import type { Principal } from "../origin.ts";
import type { CallJournal, ExtendedCall } from "../define/tool-hooks.ts";
import { FORMAT, type TaskBody, type TaskCall } from "./body.ts";
import { describeLegacy, describeTask } from "./describe-task.ts";
import type { TaskPlan } from "./options.ts";
import { MAX_MESSAGE, shownKey, TaskRun } from "./task-run.ts";
import { admit, type TaskWorker } from "./worker.ts";

/** How a call becomes a task. */
export interface Beginning {
  readonly id: string;
  readonly plan: TaskPlan;
  /** What the client wishes (2025-11-25). */
  readonly ttl?: number | undefined;
  readonly message?: string | undefined;
  /** What the call has asked and done so far. */
  readonly journal?: CallJournal | undefined;
  /** Whether the handler runs already. */
  readonly isStarted: boolean;
}

/** Keeps a new task. From here on, it is found, whatever happens to this process. */
export async function createTask(worker: TaskWorker, call: ExtendedCall, beginning: Beginning): Promise<TaskBody> {
  const task = writeTask(worker, call, beginning);
  await admit(worker, task.call.principal?.id ?? null);
  await worker.records.create(task);
  return task;
}

/** Answers the call with a task, and lets it go on. If the client is gone by now, nobody would ever ask for the task. */
export async function handOver(worker: TaskWorker, call: ExtendedCall, task: TaskBody): Promise<TaskRun> {
  const run = new TaskRun(worker, task);
  const answer =
    task.call.revision === "2025-11-25"
      ? { task: describeLegacy(task) }
      : { resultType: "task", ...describeTask(task) };
  try {
    run.attach(call.answerEarly(answer, run));
  } catch (error) {
    run.stop(error as Error);
    await worker.records.delete(task.id);
    throw error;
  }
  return run;
}

function writeTask({ host, settings }: TaskWorker, call: ExtendedCall, beginning: Beginning): TaskBody {
  const { id, plan, message, journal, isStarted } = beginning;
  const { resume, attempts, poll } = plan;
  const now = Date.now();
  const answers = Object.entries(journal?.answers ?? {}).map(([key, value]) => [shownKey(key, 0), value]);
  return {
    format: FORMAT,
    id,
    server: { name: host.name, version: host.version },
    call: keepCall(call),
    settings: { resume, attempts, ...(poll !== undefined && { poll }) },
    createdAt: now,
    updatedAt: now,
    ttl: limitTtl(beginning.ttl ?? plan.ttl, settings.maxTtl),
    ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE) }),
    claim: 1,
    lease: { until: now + settings.lease, isStarted },
    losses: 0,
    done: { ...journal?.done },
    answers: Object.fromEntries(answers) as TaskBody["answers"],
    open: {},
  };
}

/** What is kept of a call. Credentials and headers are not: whoever goes on with it has none. */
function keepCall(call: ExtendedCall): TaskCall {
  const { params, principal, ...stored } = call.stored();
  const { task: _task, ...kept } = params as typeof params & { task?: unknown };
  const { progressToken } = call.context._meta;
  return {
    ...stored,
    params: kept,
    ...(principal !== undefined && { principal: keepPrincipal(principal) }),
    ...(progressToken !== undefined && { progressToken }),
  };
}

/** The task belongs to the caller and not to the credentials that it had, so it does not matter when those end. */
function keepPrincipal({ expiresAt: _expiresAt, claims, ...principal }: Principal): Principal {
  const kept: unknown = claims === undefined ? undefined : toJson(claims);
  return isObject(kept) ? { ...principal, claims: kept } : principal;
}

function toJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

/** The shorter of two times; `null` is none. */
function limitTtl(ttl: number | null, max: number | null): number | null {
  if (ttl === null || max === null) return ttl ?? max;
  return Math.min(ttl, max);
}
