import type { RpcError } from "@toolwire/protocol";
import type { Context } from "../define/context.ts";
import { invalidParams } from "../errors.ts";
import { ownerOf, type TaskBody } from "./body.ts";
import type { TaskWorker } from "./worker.ts";

/** Whose tasks a request may see: those of its caller. */
export function callerOf({ principal }: Pick<Context, "principal">): string | null {
  return principal?.id ?? null;
}

/** Finds a task of the caller; `undefined` if there is none of this id, or it has expired, or it belongs to somebody else. */
export async function findOwn(
  worker: TaskWorker,
  id: string,
  ctx: Pick<Context, "principal">,
): Promise<TaskBody | undefined> {
  const task = await worker.find(id);
  return task !== undefined && ownerOf(task) === callerOf(ctx) ? task : undefined;
}

/** Finds a task of the caller, or refuses the request. The same words for all reasons: ids of others cannot be told from made-up ones. */
export async function expectOwn(worker: TaskWorker, id: string, ctx: Pick<Context, "principal">): Promise<TaskBody> {
  const task = await findOwn(worker, id, ctx);
  if (task === undefined) throw unknownTask();
  return task;
}

/** The refusal of a task that does not exist, has expired, or belongs to somebody else. */
export function unknownTask(): RpcError {
  return invalidParams("Task not found: it has expired, or there is none of this id.");
}
