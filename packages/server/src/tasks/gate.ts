import { ErrorCode, RpcError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { Context } from "../define/context.ts";
import { TASKS_EXTENSION } from "./describe-task.ts";

/** Whether a client declares the extension. */
export function declaresTasks({ clientCapabilities: { extensions } }: Pick<Context, "clientCapabilities">): boolean {
  return isObject(extensions) && Object.hasOwn(extensions, TASKS_EXTENSION) && isObject(extensions[TASKS_EXTENSION]);
}

/** Whether a client declares the tasks of 2025-11-25, which are no part of later revisions. */
export function declaresLegacyTasks({ clientCapabilities }: Pick<Context, "clientCapabilities">): boolean {
  return isObject((clientCapabilities as { readonly tasks?: unknown }).tasks);
}

/** The refusal of a client that does not declare the extension. */
export function missingExtension(subject: string): RpcError {
  return new RpcError(
    ErrorCode.MissingRequiredClientCapability,
    `${subject}: declare the extension ${TASKS_EXTENSION}.`,
    { data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } } },
  );
}
