import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

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
/** How long what a program has printed may take to arrive after it has ended. */
const OUTPUT_MS = 1000;

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

/** How a program has ended. */
export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code; `null` if it was killed. */
  readonly code: number | null;
  /** Whether it was killed because it had had its time. */
  readonly isLate: boolean;
}

/**
 * Waits until the program of a group has ended, or has had its time, and returns what it printed into pipes. What it has
 * started may still be there.
 */
export async function untilFinished({ child }: ProcessGroup, milliseconds: number): Promise<Finished> {
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => (printed[name] += chunk));
  }
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, milliseconds);
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    // What the program has started may keep the pipes open.
    await Promise.race([closed, delay(OUTPUT_MS, undefined, { ref: false })]);
    return { ...printed, code, isLate };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a program until it has ended, or has had its time, and leaves nothing of it behind. */
export async function runGroup(
  command: readonly [string, ...string[]],
  options: Omit<SpawnOptions, "detached" | "stdio"> & { readonly milliseconds: number },
): Promise<Finished> {
  const { milliseconds, ...others } = options;
  const group = startGroup(command, { ...others, stdio: ["ignore", "pipe", "pipe"] });
  try {
    return await untilFinished(group, milliseconds);
  } finally {
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
