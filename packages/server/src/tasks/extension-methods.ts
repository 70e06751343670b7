/** The methods of the extension (2026-07-28). */
import type { JsonSchema } from "@toolwire/json-schema";
import type { Context } from "../define/context.ts";
import { type ExtensionMethod, method } from "../define/extension.ts";
import { MAX_ID, type TaskBody } from "./body.ts";
import { invalidParams } from "../errors.ts";
import { answer } from "./changes.ts";
import { detailTask } from "./describe-task.ts";
import { expectOwn, findOwn, unknownTask } from "./find-own.ts";
import { declaresLegacyTasks, declaresTasks, missingExtension } from "./gate.ts";
import { sizeOf } from "./task-run.ts";
import { EXTENSION_TASKS, LEGACY_TASKS } from "./tool-hooks.ts";
import type { TaskWorker } from "./worker.ts";

const ID = { type: "string", maxLength: MAX_ID };

/** Parameters with the id of a task. Unknown members are let alone, as everywhere in the protocol. */
export const WITH_ID: JsonSchema = { type: "object", properties: { taskId: ID }, required: ["taskId"] };

const WITH_ANSWERS: JsonSchema = {
  type: "object",
  properties: { taskId: ID, inputResponses: { type: "object" } },
  required: ["taskId", "inputResponses"],
};

type Params = { readonly [param: string]: unknown };

/** The id in parameters that fit {@link WITH_ID}. */
export function idIn(params: unknown): string {
  return (params as Params)["taskId"] as string;
}

/** Makes the methods of the extension. */
export function extensionMethods(worker: () => TaskWorker): { readonly [method: string]: ExtensionMethod } {
  const common = { revisions: EXTENSION_TASKS, nameParam: "taskId" };
  return {
    "tasks/get": method({
      ...common,
      isGated: false,
      handle: async (params, ctx) => detailTask(await expectReachable(worker(), params, ctx)),
    }),
    "tasks/update": method({
      ...common,
      params: WITH_ANSWERS,
      async handle(params, ctx) {
        const { id } = await expectOwn(worker(), idIn(params), ctx);
        await takeAnswers(worker(), id, (params as { readonly inputResponses: Params }).inputResponses);
        return {};
      },
    }),
    "tasks/cancel": method({
      ...common,
      isGated: false,
      async handle(params, ctx) {
        const { id } = await expectReachable(worker(), params, ctx);
        await worker().cancel(id);
        return {};
      },
    }),
  };
}

/**
 * Finds a task for a client that declares the extension. Others are refused before anything else is looked at; but clients that know
 * the tasks of 2025-11-25 only go on with tasks that were made in that way (SEP-2663, "Backward Compatibility").
 */
async function expectReachable(worker: TaskWorker, params: Params, ctx: Context): Promise<TaskBody> {
  const isDeclared = declaresTasks(ctx);
  if (!isDeclared && !declaresLegacyTasks(ctx)) throw missingExtension("This is about a task");
  const id = params["taskId"];
  const isId = typeof id === "string" && id.length <= MAX_ID;
  if (isDeclared && !isId) throw invalidParams(`\`taskId\` must be text of at most ${MAX_ID} characters.`);
  if (isDeclared) return expectOwn(worker, String(id), ctx);
  const task = isId ? await findOwn(worker, id, ctx) : undefined;
  if (task?.call.revision === LEGACY_TASKS) return task;
  throw missingExtension("This is about a task");
}

/** Keeps answers of the client, and lets the work go on when there is one to each question. */
export async function takeAnswers(
  worker: TaskWorker,
  id: string,
  responses: { readonly [key: string]: unknown },
): Promise<void> {
  const changed = await worker.records.change(id, (task) => {
    const answered = answer(responses, Date.now())(task);
    const { maxJournal } = worker.settings;
    if (answered !== undefined && sizeOf([answered.done, answered.answers]) > maxJournal) {
      throw invalidParams(`The answers are too large: a task keeps at most ${maxJournal} characters.`);
    }
    return answered;
  });
  if (changed === undefined) throw unknownTask();
  if (!changed.isChanged || Object.keys(changed.task.open).length > 0) return;
  // The answers are kept: should the work not begin here, it begins when somebody looks for due tasks.
  void worker.resume(id).catch(() => undefined);
}
