import type { Driver } from "../steps/driver.ts";
import type { StepOutcomes } from "../steps/outcomes.ts";
import { runSteps, type StepChoice } from "../steps/run-steps.ts";
import { SCRIPTS } from "../steps/script.ts";
import type { SurveyCall } from "../steps/survey-steps.ts";

/** The transports that the two sides may have in common. */
export type Transport = "stdio" | "http" | "sse" | "websocket";

/** The task of a client program, passed as JSON in its first argument. */
export interface ClientTask extends StepChoice {
  /** The package of the SDK, where a program serves several versions of it. */
  readonly sdk?: string | undefined;
  /** How to choose a revision, in the terms of the SDK. */
  readonly mode?: string | undefined;
  readonly transport: Transport;
  /** The server to start, over stdio. */
  readonly command?: readonly string[] | undefined;
  /** Environment variables of that server. */
  readonly variables?: { readonly [name: string]: string } | undefined;
  /** The server to connect to, over everything else. */
  readonly url?: string | undefined;
  readonly script: keyof typeof SCRIPTS;
  /** The calls of a survey. */
  readonly calls?: readonly SurveyCall[] | undefined;
}

/** Connects as the task says, goes through the steps, and prints how they ended as one line of JSON. */
export function runTask(connect: (task: ClientTask) => Promise<Driver>): Promise<void> {
  return report(async (task) => {
    const driver = await connect(task);
    const outcomes = await runSteps(driver, SCRIPTS[task.script], task);
    await driver.close();
    return outcomes;
  });
}

/** Runs a task and prints the outcomes of its steps as one line of JSON, or the error to stderr. */
export async function report(run: (task: ClientTask) => Promise<StepOutcomes>): Promise<void> {
  try {
    console.log(JSON.stringify(await run(JSON.parse(process.argv[2] ?? "") as ClientTask)));
  } catch (error) {
    const { message, cause } = error as Error;
    console.error(cause instanceof Error ? `${message} (${cause.message})` : message);
    process.exit(1);
  }
}

/** The server to start over stdio, as most SDKs want it. `env` is absent if the default environment is enough. */
export function commandOf({ command = [], variables }: ClientTask): {
  command: string;
  args: string[];
  env?: Record<string, string>;
} {
  const [program = "", ...args] = command;
  return { command: program, args, ...(variables && { env: { ...variables } }) };
}

/** The address of the server to connect to. */
export function urlOf({ url = "" }: ClientTask): URL {
  return new URL(url);
}
