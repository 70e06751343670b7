import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { StartedStore } from "../stores/store.ts";
import type { FigureJob, Figures } from "./figures.ts";

const PROGRAM = fileURLToPath(new URL("program.js", import.meta.url));

/** How long measuring may take, in milliseconds. */
const DEADLINE_MS = 900_000;

/** How much the heap may grow by for each open task, in bytes, if the tasks themselves are outside of the process. */
export const HEAP_PER_TASK = 4096;

/** Measures a store. */
export async function measure(store: StartedStore, plan: Omit<FigureJob, "store">): Promise<Figures> {
  const job: FigureJob = { store: store.address, ...plan };
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", PROGRAM, JSON.stringify(job)], {
    timeout: DEADLINE_MS,
  });
  return JSON.parse(stdout) as Figures;
}
