/** A thread that ends the process if the main thread stands still, because nothing else could. */
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";

const { beats, standstillMs } = workerData as { readonly beats: Int32Array; readonly standstillMs: number };

let latest = -1;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  if (now === latest) {
    writeSync(2, `The event loop has stood still for ${standstillMs} ms: no timer fires any more.\n`);
    process.kill(process.pid, "SIGKILL");
  }
  latest = now;
}, standstillMs);
