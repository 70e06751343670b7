import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** A program and its descendants, except those that create process groups of their own. */
export interface ProcessGroup {
  readonly child: ChildProcess;
  /** Sends SIGTERM to the program alone, and SIGKILL after 5 seconds. Its descendants may keep running. */
  stop(): Promise<void>;
  /** Stops the program, and then kills the rest of the group. */
  end(): Promise<void>;
}

/** How long a program may take to exit after SIGTERM. */
const STOP_MS = 5000;
/** How long to wait for the rest of the output after a program has exited. */
const OUTPUT_MS = 1000;

const canGroup = process.platform !== "win32";
const groups = new Set<ChildProcess>();

/** Starts a program as the leader of a process group. Groups are killed when this process exits or gets a signal to end. */
export function startGroup(
  [program, ...args]: readonly [string, ...string[]],
  options: Omit<SpawnOptions, "detached">,
): ProcessGroup {
  if (groups.size === 0) listenForEnd();
  const child = spawn(program, args, { ...options, detached: canGroup });
  groups.add(child);
  const ended = new Promise<void>((resolve) => {
    // A program that cannot be started emits `error` and never `exit`.
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

/** The output of a program that has exited, and how it exited. */
export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code; `null` if it was killed. */
  readonly code: number | null;
  /** Whether it was killed because it exceeded its time limit. */
  readonly isLate: boolean;
}

/**
 * Waits until the program of a group exits, and kills it if it exceeds the time limit. Returns its output, if that goes to
 * pipes. The rest of the group may keep running.
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
    // Descendants may keep the pipes open.
    await Promise.race([closed, delay(OUTPUT_MS, undefined, { ref: false })]);
    return { ...printed, code, isLate };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a program until it exits or exceeds its time limit, and then kills the rest of its group. */
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
    // The group has no members left.
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
  // The listener for `exit` kills the groups.
  process.exit(1);
}

function killAll(): void {
  for (const child of groups) signalGroup(child, "SIGKILL");
}
