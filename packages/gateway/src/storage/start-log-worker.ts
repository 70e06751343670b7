import type { Worker } from "node:worker_threads";
import { startThread } from "../start-thread.ts";
import type { WorkerOptions } from "./worker-messages.ts";

/** Starts the thread of the call log. */
export function startLogWorker(options: WorkerOptions): Worker {
  return startThread("log-worker", import.meta.url, { workerData: options });
}
