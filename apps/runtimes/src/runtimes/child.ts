import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** The outcome of one program. */
export interface Finished {
  readonly output: string;
  readonly complaint: string;
  /** How it ended, such as `code 0` or `SIGKILL`. */
  readonly end: string;
}

/** A program that goes on until it is stopped. */
export interface RunningProgram {
  readonly child: ChildProcess;
  /** The end of what it has written to stderr. */
  readonly complaint: () => string;
  readonly stop: () => Promise<void>;
}

const COMPLAINT_LENGTH = 2000;
/** One that does not end in this time when it is asked to, is made to. */
const STOP_MS = 5000;
/** A program that does not say in this time that it listens, never will. */
const START_MS = 20_000;

/** Runs a program until it ends by itself, or has had its time. */
export async function runToEnd(
  [program, ...args]: Command,
  milliseconds: number,
  variables?: NodeJS.ProcessEnv,
): Promise<Finished> {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: milliseconds,
    killSignal: "SIGKILL",
    env: environment(variables),
  });
  const [output, complaint, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null, string | null]>,
  ]);
  return { output, complaint: complaint.slice(-COMPLAINT_LENGTH), end: signal ?? `code ${code}` };
}

/** Starts a program that is to go on. Whatever it says on a pipe of its own comes back, too. */
export function startProgram(
  [program, ...args]: Command,
  output: "stdout" | "control",
  variables?: NodeJS.ProcessEnv,
): RunningProgram & { readonly output: Readable } {
  const stdio =
    output === "stdout" ? (["ignore", "pipe", "pipe"] as const) : (["ignore", "ignore", "pipe", "pipe"] as const);
  const child = spawn(program, args, { stdio: [...stdio], env: environment(variables) });
  const exited = once(child, "exit");
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    complaint = (complaint + chunk).slice(-COMPLAINT_LENGTH);
  });
  return {
    child,
    output: child.stdio[output === "stdout" ? 1 : 3] as Readable,
    complaint: () => complaint,
    async stop() {
      // Programs with processes of their own see to those first.
      child.kill();
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** The first line of a program's output that means something. */
export async function firstMeaning<T>(
  { output, complaint, stop }: RunningProgram & { readonly output: Readable },
  read: (line: string) => T | undefined,
): Promise<T> {
  const timer = setTimeout(() => void stop(), START_MS);
  try {
    for await (const line of createInterface(output)) {
      const meaning = read(line);
      if (meaning !== undefined) return meaning;
    }
  } finally {
    clearTimeout(timer);
  }
  await stop();
  throw new Error(`The program ended before it listened: ${complaint().trim()}`);
}

/** The environment of a program, without telemetry and the search for newer versions. */
function environment(variables?: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...process.env, DENO_NO_UPDATE_CHECK: "1", DO_NOT_TRACK: "1", NO_COLOR: "1", ...variables };
}
