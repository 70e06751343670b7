/** How much memory this process holds on to. */
import { readFileSync } from "node:fs";

/** In bytes. */
export interface MemoryUse {
  /** The size of the heap after garbage collection. */
  readonly heap: number;
  /** The memory that the operating system counts. */
  readonly resident: number;
  /** The most it has ever counted. */
  readonly peak: number;
}

/** Collects garbage, if Node runs with `--expose-gc`, and looks. */
export function readMemory(): MemoryUse {
  // Twice: finalizers of the first run free more in the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss, peak: readPeak() };
}

/** Linux hands the peak of a parent down to its children in `maxRSS`, but not in `VmHWM`. */
function readPeak(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  const [, kibibytes = "0"] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kibibytes) * 1024;
}
