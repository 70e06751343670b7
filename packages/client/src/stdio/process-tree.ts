import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import type { Environment } from "./environment.ts";
import { ProcessFamily } from "./process-family.ts";
import { systemProgram } from "./system-program.ts";

interface SilentOptions {
  readonly stdio: "ignore";
  readonly windowsHide: true;
}

/** What is needed of a child process to end it. */
type Child = Pick<ChildProcess, "pid" | "kill">;

/**
 * Ends a process and what it has started. On POSIX a server leads a process group of its own, to which the signal goes; on
 * Windows `taskkill` walks the tree, and knows no gentle way. What is gone already is no error.
 */
export function signalTree(child: Child, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") endWindowsTree(child, child.pid, process.env);
  else send(-child.pid, signal);
}

/** The same at the very end of this process, when nothing asynchronous runs any more. */
export function killTreeNow(pid: number): void {
  if (process.platform !== "win32") {
    const family = new ProcessFamily(pid);
    family.look();
    send(-pid, "SIGKILL");
    family.signal("SIGKILL");
  } else if (spawnSync(...taskkill(pid, process.env)).status !== 0) send(pid, "SIGKILL");
}

/** Ends the tree of a child by `taskkill`; where that fails, at least the child. */
export function endWindowsTree(child: Child, pid: number, env: Environment): void {
  const killer = spawn(...taskkill(pid, env));
  killer.once("error", () => child.kill("SIGKILL"));
  // The handle of the child is used, as its id may be another process's by now.
  killer.once("exit", (code) => code === 0 || child.kill("SIGKILL"));
}

function taskkill(pid: number, env: Environment): [string, readonly string[], SilentOptions] {
  const args = ["/pid", String(pid), "/t", "/f"];
  return [systemProgram("taskkill.exe", env), args, { stdio: "ignore", windowsHide: true }];
}

function send(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // All of it has ended.
  }
}
