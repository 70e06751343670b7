import { UsageError } from "@toolwire/protocol";
import { startThread } from "../../start-thread.ts";
import { AdminError } from "../http/admin-error.ts";
import type { JsonBody } from "../http/request.ts";
import type { DocumentReader, DocumentTask, ListedDocument } from "./document-reader.ts";
import type { TaskOutcome } from "./document-thread.ts";

const TIMEOUT = 60_000;

/** Documents of twenty megabytes fit; one that grows beyond this ends its thread, and nothing else. */
const MAX_MEGABYTES = 2048;

/** So many documents are read at once. */
const MAX_THREADS = 2;

/** Makes a reader that uses a thread for each document, so that no call waits while a large one is read. */
export function createThreadedReader(): DocumentReader {
  let running = 0;
  async function run(task: DocumentTask): Promise<unknown> {
    if (running >= MAX_THREADS) {
      throw new AdminError(503, "busy", "Other documents are being read. Try again in a moment.", {
        "retry-after": "5",
      });
    }
    running += 1;
    try {
      return await runInThread(task);
    } finally {
      running -= 1;
    }
  }
  return {
    list: (text) => run({ kind: "list", text }) as Promise<ListedDocument>,
    prune: (text, chosen) => run({ kind: "prune", text, chosen }) as Promise<JsonBody>,
  };
}

async function runInThread(task: DocumentTask): Promise<unknown> {
  const thread = startThread("document-thread", import.meta.url, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const outcome = await new Promise<TaskOutcome>((resolve, reject) => {
      timer = setTimeout(
        () => reject(new UsageError("INVALID_ARGUMENT", "The document takes too long to read.")),
        TIMEOUT,
      );
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => reject(new UsageError("INVALID_ARGUMENT", "The document is too large to be read.")));
    });
    if ("result" in outcome) return outcome.result;
    if ("refusal" in outcome) throw new UsageError("INVALID_DEFINITION", outcome.refusal);
    throw new Error(`The document could not be read: ${outcome.failure}`);
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
