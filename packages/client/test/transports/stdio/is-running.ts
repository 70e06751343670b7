import { readFileSync } from "node:fs";

/** Whether there is a process of this id that has not ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // Until somebody asks for its exit code, an ended process keeps its id. Containers often have nobody who does.
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.startsWith("Z") === true;
  } catch {
    return false;
  }
}
