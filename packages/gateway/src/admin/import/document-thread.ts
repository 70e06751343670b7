/** The program of the thread that reads one document: its task comes with its start, and its result is its only message. */
import { parentPort, workerData } from "node:worker_threads";
import { ToolwireError } from "@toolwire/protocol";
import { runTask, type DocumentTask } from "./document-reader.ts";

/** The message of the thread. */
export type TaskOutcome = { readonly result: unknown } | { readonly refusal: string } | { readonly failure: string };

parentPort?.postMessage(finish(workerData as DocumentTask), []);

function finish(task: DocumentTask): TaskOutcome {
  try {
    return { result: runTask(task) };
  } catch (error) {
    if (error instanceof ToolwireError) return { refusal: error.message };
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
