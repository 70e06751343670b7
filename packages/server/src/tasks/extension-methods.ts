/** The methods of the extension (2026-07-28). */
import type { JsonSchema } from "@toolwire/json-schema";
import { type ExtensionMethod, method } from "../define/extension.ts";
import { MAX_ID } from "./body.ts";
import { answer } from "./changes.ts";
import { detailTask } from "./describe-task.ts";
import { expectOwn, unknownTask } from "./find-own.ts";
import { EXTENSION_TASKS } from "./tool-hooks.ts";
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

/** Makes the methods of the extension. All of them need a client that declares it. */
export function extensionMethods(worker: () => TaskWorker): { readonly [method: string]: ExtensionMethod } {
  const common = { revisions: EXTENSION_TASKS, isGated: true, nameParam: "taskId" };
  return {
    "tasks/get": method({
      ...common,
      params: WITH_ID,
      handle: async (params, ctx) => detailTask(await expectOwn(worker(), idIn(params), ctx)),
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
      params: WITH_ID,
      async handle(params, ctx) {
        const { id } = await expectOwn(worker(), idIn(params), ctx);
        await worker().cancel(id);
        return {};
      },
    }),
  };
}

/** Keeps answers of the client, and lets the work go on when there is one to each question. */
export async function takeAnswers(
  worker: TaskWorker,
  id: string,
  responses: { readonly [key: string]: unknown },
): Promise<void> {
  const changed = await worker.records.change(id, answer(responses, Date.now()));
  if (changed === undefined) throw unknownTask();
  if (!changed.isChanged || Object.keys(changed.task.open).length > 0) return;
  // The answers are kept: should the work not begin here, it begins when somebody looks for due tasks.
  void worker.resume(id).catch(() => undefined);
}
