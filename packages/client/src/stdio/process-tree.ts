import { spawn, spawnSync } from "node:child_process";

/**
 * Ends a process and everything it has started. On POSIX a server leads a process group of its own, to which the signal
 * goes; on Windows `taskkill` walks the tree, and knows no gentle way. What is gone already is no error.
 */
export function signalTree({ pid }: { readonly pid?: number | undefined }, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return;
  if (process.platform === "win32") spawn("taskkill", ...killing(pid)).on("error", () => {});
  else signalGroup(pid, signal);
}

/** The same at the very end of this process, when nothing asynchronous runs any more. */
export function killTreeNow(pid: number): void {
  if (process.platform === "win32") spawnSync("taskkill", ...killing(pid));
  else signalGroup(pid, "SIGKILL");
}

function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended.
  }
}

function killing(pid: number): [readonly string[], { readonly stdio: "ignore"; readonly windowsHide: true }] {
  return [["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }];
}
