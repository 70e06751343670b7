import { ContractViolation, type ContractCheck } from "@toolwire/protocol/testing";
import { taskStoreChecks, type TaskStoreCheck } from "./task-store-checks.ts";
import { TaskStoreTrial, type TaskStoreContractOptions } from "./task-store-trial.ts";

/**
 * Makes the checks that every `TaskStore` has to pass. They need no test runner: pass them to `registerContract`, or run them yourself.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { fileTaskStore } from "@toolwire/server/tasks-files";
 * import { registerContract, taskStoreContract } from "@toolwire/server/testing";
 *
 * registerContract("tasks in files", taskStoreContract({ open: () => fileTaskStore("test-tasks") }), { describe, it });
 * ```
 */
export function taskStoreContract(options: TaskStoreContractOptions): ContractCheck[] {
  return taskStoreChecks.map((check) => ({ name: check.name, run: () => runCheck(check, options) }));
}

async function runCheck(check: TaskStoreCheck, options: TaskStoreContractOptions): Promise<void> {
  const trial = new TaskStoreTrial(options);
  try {
    await trial.run(check);
  } catch (error) {
    if (error instanceof ContractViolation) throw error;
    throw new ContractViolation(`The store could not be tested: ${String(error)}`, { cause: error });
  } finally {
    await trial.end();
  }
}
