import type { Driver } from "../steps/driver.ts";
import { runSteps, type Step } from "../steps/run-steps.ts";
import { SCRIPTS } from "../steps/script.ts";

/** The transports that the two sides may have in common. */
export type Transport = "stdio" | "http" | "sse" | "websocket";

/** What a client program is told to do, as JSON in its first argument. */
export interface ClientTask {
  /** The package of the SDK, where a program serves several versions of it. */
  readonly sdk?: string | undefined;
  /** How to choose a revision, in the terms of the SDK. */
  readonly mode?: string | undefined;
  readonly transport: Transport;
  /** The server to start, over stdio. */
  readonly command?: readonly string[] | undefined;
  /** The server to connect to, over everything else. */
  readonly url?: string | undefined;
  readonly script: keyof typeof SCRIPTS;
  /** Steps that the server cannot take part in. */
  readonly without: readonly Step[];
}

/** Connects as the task says, goes through the steps, and prints how they ended as one line of JSON. */
export async function runTask(connect: (task: ClientTask) => Promise<Driver>): Promise<void> {
  const task = JSON.parse(process.argv[2] ?? "") as ClientTask;
  const driver = await connect(task);
  const outcomes = await runSteps(driver, SCRIPTS[task.script], task.without);
  await driver.close();
  console.log(JSON.stringify(outcomes));
}

/** The program and arguments of the server to start. */
export function commandOf({ command = [] }: ClientTask): { command: string; args: string[] } {
  const [program = "", ...args] = command;
  return { command: program, args };
}

/** The address of the server to connect to. */
export function urlOf({ url = "" }: ClientTask): URL {
  return new URL(url);
}
