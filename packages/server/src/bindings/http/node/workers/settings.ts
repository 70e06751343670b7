import { UsageError } from "@toolwire/protocol";
import { expectOption } from "@toolwire/protocol/internal";
import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import type { Cluster } from "../../../../cluster/cluster.ts";

/**
 * A variable of the environment that only processes have which `serveHttp` has started, and those that they start. Its value counts
 * the workers from 1.
 */
export const WORKER_VARIABLE = "TOOLWIRE_WORKER";

const MOST_WORKERS = 1024;

/** Reads the option `workers`. Throws a `UsageError` if there cannot be workers here. */
export function readWorkers(workers: number | "auto", shared: Cluster | undefined): number {
  const fits = workers === "auto" || (Number.isInteger(workers) && workers >= 1 && workers <= MOST_WORKERS);
  expectOption("workers", workers, fits, `a whole number from 1 to ${MOST_WORKERS}, or "auto"`);
  if (shared !== undefined) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      "`workers` cannot be combined with `cluster`: workers share what they know through the process that has started them. To use several machines, start one process for each core, and give each the `cluster`.",
    );
  }
  if ("Bun" in globalThis || "Deno" in globalThis) {
    throw new UsageError(
      "UNSUPPORTED",
      "`workers` needs node:cluster as Node has it. In this runtime, start several processes on ports of their own, and give each a `cluster`.",
    );
  }
  return workers === "auto" ? availableParallelism() : workers;
}

/** Whether this process is a worker that its own program has started. */
export function isWorker(): boolean {
  return cluster.isWorker && process.env[WORKER_VARIABLE] !== undefined;
}

/** The same. Throws a `UsageError` if it is a worker of another program. */
export function isOwnWorker(): boolean {
  if (isWorker()) return true;
  if (!cluster.isWorker) return false;
  throw new UsageError(
    "INVALID_STATE",
    "`workers` cannot be used in a process that is a worker of node:cluster already. Leave out `workers`, or start the program without the tool that has made it a worker.",
  );
}

/** Which of the workers this process is, counted from 1. */
export function slotOfWorker(): number {
  return Number(process.env[WORKER_VARIABLE]);
}

/** Checks that this process can start workers: it has a main file for them to run, and no workers. */
export function expectToBePrimary(): void {
  if (process.argv[1] === undefined) {
    throw new UsageError(
      "INVALID_STATE",
      "`workers` needs a main file that each of them can run: put the program into a file.",
    );
  }
  if (Object.keys(cluster.workers ?? {}).length > 0) {
    throw new UsageError(
      "INVALID_STATE",
      "This process has workers already. One call of serveHttp can have `workers`; serve further servers in programs of their own.",
    );
  }
}
