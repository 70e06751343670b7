import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

/** The program with its first arguments, on its sources. */
export const PROGRAM: readonly string[] = [process.execPath, "--conditions=@toolwire/source", "--import", "tsx", MAIN];

/** Whether programs can be given a terminal: `script` of util-linux does that. */
export const hasTerminals: boolean = spawnSync("script", ["--version"], { encoding: "utf8" })
  .output?.join("")
  .includes("util-linux");

/** Starts the program on a terminal of 80 columns. What it writes to the terminal is on stdout of the process. */
export function spawnOnTerminal(argv: readonly string[], env: NodeJS.ProcessEnv): ChildProcessWithoutNullStreams {
  const command = [...PROGRAM, ...argv].map((each) => `'${each}'`).join(" ");
  return spawn("script", ["-qec", `stty cols 80 rows 40; exec ${command}`, "/dev/null"], { env });
}
