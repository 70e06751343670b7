import { ContractViolation, type ContractCheck } from "@toolwire/protocol/testing";
import { changeChecks } from "./change-checks.ts";
import { eventChecks } from "./event-checks.ts";
import { messageChecks } from "./message-checks.ts";
import { sessionChecks } from "./session-checks.ts";
import { storeChecks } from "./store-checks.ts";
import { Trial, type ClusterCheck, type ClusterContractOptions } from "./trial.ts";

/**
 * Makes the checks that every `Cluster` has to pass. They need no test runner: pass them to `registerContract`, or run them yourself.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { createMemoryEngine } from "@toolwire/server/cluster";
 * import { clusterContract, registerContract } from "@toolwire/server/testing";
 *
 * const engine = createMemoryEngine();
 * registerContract("the engine in memory", clusterContract({ connect: () => engine.connect() }), { describe, it });
 * ```
 */
export function clusterContract(options: ClusterContractOptions): ContractCheck[] {
  const checks = [
    ...sessionChecks,
    ...eventChecks,
    ...messageChecks(options),
    ...changeChecks(options),
    ...storeChecks,
  ];
  return checks.map((check) => ({ name: check.name, run: () => runCheck(check, options) }));
}

async function runCheck(check: ClusterCheck, options: ClusterContractOptions): Promise<void> {
  const trial = new Trial(options);
  try {
    await trial.run(check);
  } catch (error) {
    if (error instanceof ContractViolation) throw error;
    throw new ContractViolation(`The engine could not be tested: ${String(error)}`, { cause: error });
  } finally {
    await trial.end();
  }
}
