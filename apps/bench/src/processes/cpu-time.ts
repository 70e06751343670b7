/** How much time a process has spent on a core, which other processes on the machine do not change much. */
import { readdirSync, readFileSync } from "node:fs";

/** The milliseconds that all threads of a process have run; `undefined` where the system does not say (it takes Linux). */
export function readCpuTime(pid: number): number | undefined {
  try {
    let nanoseconds = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]);
    }
    return nanoseconds / 1e6;
  } catch {
    return undefined;
  }
}
