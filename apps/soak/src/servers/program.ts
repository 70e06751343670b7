import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The program that every server process runs. */
export const PROGRAM: string = fileURLToPath(new URL("main.js", import.meta.url));

/** Whether a server process still runs. Its id may belong to another program by now. */
export function isServerRunning(pid: number): boolean {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(PROGRAM);
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
