import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How many bytes of the heap are in use after everything was freed that can be. */
export function measureHeap(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // Memory that finalizers release is collected the second time.
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
