/** Keeps what is measured and what produces the load on cores of their own, where the machine allows it. */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** The purpose of a process: to be measured on a core of its own, to be what it is measured with, or to be measured on all cores. */
export type Role = "measured" | "load" | "spread";

const CORES: Readonly<Record<Role, string>> = { measured: "0", load: "1", spread: "0-1" };

/** Child processes see one core only, so that the answer is found once and handed down. */
const VARIABLE = "TOOLWIRE_BENCH_PINNING";

/** Whether processes are pinned: it takes `taskset` (Linux) and two cores. */
export function isPinning(): boolean {
  process.env[VARIABLE] ??=
    availableParallelism() > 1 && spawnSync("taskset", ["-c", CORES.load, "true"]).status === 0 ? "on" : "off";
  return process.env[VARIABLE] === "on";
}

/** A command that runs on the core of its role. */
export function pinCommand(role: Role, command: readonly string[]): [string, ...string[]] {
  const [program = process.execPath, ...rest] = command;
  return isPinning() ? ["taskset", "-c", CORES[role], program, ...rest] : [program, ...rest];
}

/** Moves a process that runs already to the core of a role, with all its threads. */
export function pinProcess(role: Role, pid: number): void {
  if (isPinning() && pid > 0) spawnSync("taskset", ["-a", "-c", "-p", CORES[role], String(pid)]);
}
