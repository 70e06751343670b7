import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";

/** A program, and everything that it starts unless that makes groups of its own. */
export interface ProcessGroup {
  readonly child: ChildProcess;
  /** Asks the program alone to end, and after a while makes it. What it has started may still be there. */
  stop(): Promise<void>;
  /** Stops the program, and kills what it has left behind. */
  end(): Promise<void>;
}

/** How long a program may take to end when it is asked to. */
const STOP_MS = 5000;

const canGroup = process.platform !== "win32";
const groups = new Set<ChildProcess>();

/** Starts a program as the leader of a process group. No group outlives this process, unless that is killed. */
export function startGroup(
  [program, ...args]: readonly [string, ...string[]],
  options: Omit<SpawnOptions, "detached">,
): ProcessGroup {
  if (groups.size === 0) listenForEnd();
  const child = spawn(program, args, { ...options, detached: canGroup });
  groups.add(child);
  const ended = new Promise<void>((resolve) => {
    // A program that cannot be started has no exit.
    for (const event of ["exit", "error"]) child.once(event, () => resolve());
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(timer);
  };
  return {
    child,
    stop,
    async end() {
      await stop();
      signalGroup(child, "SIGKILL");
      groups.delete(child);
      if (groups.size === 0) stopListening();
    },
  };
}

/** Runs a program until it has ended and closed its output, or has had its time. Returns what it printed. */
export async function runGroup(
  command: readonly [string, ...string[]],
  options: Omit<SpawnOptions, "detached" | "stdio"> & { readonly milliseconds: number },
): Promise<{ stdout: string; stderr: string; code: number | null; isLate: boolean }> {
  const { milliseconds, ...others } = options;
  const group = startGroup(command, { ...others, stdio: ["ignore", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    group.child[name]?.setEncoding("utf8").on("data", (chunk: string) => (printed[name] += chunk));
  }
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    signalGroup(group.child, "SIGKILL");
  }, milliseconds);
  try {
    const [code] = (await once(group.child, "close")) as [number | null];
    return { ...printed, code, isLate };
  } finally {
    clearTimeout(timer);
    await group.end();
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (canGroup) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // Nobody is left.
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function listenForEnd(): void {
  process.on("exit", killAll);
  for (const signal of SIGNALS) process.on(signal, exit);
}

function stopListening(): void {
  process.off("exit", killAll);
  for (const signal of SIGNALS) process.off(signal, exit);
}

function exit(): void {
  // Ends the groups by the listener on `exit`.
  process.exit(1);
}

function killAll(): void {
  for (const child of groups) signalGroup(child, "SIGKILL");
}
