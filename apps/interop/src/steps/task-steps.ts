import { setTimeout as delay } from "node:timers/promises";
import type { ToolAnswer } from "./driver.ts";
import { attempt, type StepOutcome, type StepOutcomes, type StepRun } from "./outcomes.ts";
import { expectIn, type StepChoice } from "./run-steps.ts";
import { ANSWER } from "./script.ts";

/** The steps that every pair takes whose two sides know tasks. */
export const TASK_STEPS = ["run", "follow", "failed", "ask", "cancel", "resume", "list", "end"] as const;

/** The steps that a client runs. `end` is checked after the client has exited. */
type Step = Exclude<(typeof TASK_STEPS)[number], "end">;

/** The tools of a server, and what is expected of them. */
interface TaskScript {
  readonly run: TaskLine;
  readonly ask: TaskLine;
  /** A tool that goes on until it is cancelled. */
  readonly wait: Pick<TaskLine, "tool" | "args">;
  /** A tool that says how often that one was cancelled, where the server can tell. */
  readonly cancelled?: string;
}

interface TaskLine {
  readonly tool: string;
  readonly args: object;
  /** Text that the result has to contain. */
  readonly text: string;
}

/** The offers of the servers in `servers/`. */
const STANDARD: TaskScript = {
  run: { tool: "report", args: { title: "June" }, text: "Report on June" },
  ask: { tool: "ask", args: {}, text: `Hello, ${ANSWER}!` },
  wait: { tool: "wait", args: {} },
  cancelled: "cancelled",
};

/** What clients answer to the question of `@modelcontextprotocol/server-everything`. */
export const INTERPRETATION = "historical";

const RESEARCH = "simulate-research-query";

/** The offers of `@modelcontextprotocol/server-everything`. Its research takes four seconds, and ignores cancellation. */
const EVERYTHING: TaskScript = {
  run: { tool: RESEARCH, args: { topic: "Oslo" }, text: "Research Report: Oslo" },
  ask: { tool: RESEARCH, args: { topic: "Oslo", ambiguous: true }, text: `Research Report: Oslo (${INTERPRETATION})` },
  wait: { tool: RESEARCH, args: { topic: "Oslo" } },
};

/** Which steps to run, and with which server. */
interface TaskChoice extends StepChoice {
  readonly script?: string;
}

/** Operations of a client that knows tasks. Methods are absent if the library has no counterpart. */
export interface TaskDriver {
  /** Calls a tool and waits for its result, as an application does that cares little for tasks. */
  run(tool: string, args: object): Promise<ToolAnswer>;
  /** Calls a tool, and returns as soon as there is a task. */
  begin(tool: string, args: object): Promise<TaskHold>;
  /** Calls a tool that is no task. */
  call(tool: string): Promise<ToolAnswer>;
  /** Goes on with a task, by what was kept of it. */
  resume(reference: unknown): Promise<TaskHold>;
  /** The ids of the tasks that the server has. */
  list?(): Promise<string[]>;
}

/** A task, as a client sees it. */
export interface TaskHold {
  /** `undefined` if the server has answered at once. */
  readonly id: string | undefined;
  /** What is kept to find the task again. */
  readonly reference: unknown;
  /** Asks the server for the status. */
  status(): Promise<string>;
  /** Waits for the result. */
  result(): Promise<ToolAnswer>;
  cancel(): Promise<void>;
  /** Stops looking at the task, which goes on. */
  detach(): Promise<void>;
}

/** Goes through the steps, one after the other; a step that fails does not keep the others from being tried. */
export async function runTaskSteps(driver: TaskDriver, choice: TaskChoice): Promise<StepOutcomes> {
  const script = choice.script === "everything" ? EVERYTHING : STANDARD;
  const outcomes: { [step: string]: StepOutcome } = {};
  for (const step of TASK_STEPS.filter((name): name is Step => name !== "end")) {
    const isKnownToFail = choice.knownToFail?.includes(step) === true;
    outcomes[step] = choice.without.includes(step)
      ? "impossible"
      : await attempt(steps[step](driver, script), isKnownToFail);
  }
  return outcomes;
}

const steps: { readonly [S in Step]: (driver: TaskDriver, script: TaskScript) => StepRun } = {
  run: (driver, script) => async () => {
    const { text, isError } = await driver.run(script.run.tool, script.run.args);
    if (isError) throw new Error(`the tool failed: ${text}`);
    expectIn("the result", script.run.text, text);
  },
  follow: (driver) => async () => {
    const task = await begin(driver, "report", { title: "July" });
    expectIn("the statuses of a task", await task.status(), ["working", "completed"]);
    const { text } = await task.result();
    expectIn("the result", "Report on July", text);
    expectIn("the last status", "completed", await task.status());
  },
  failed: (driver) => async () => {
    const task = await begin(driver, "fail", {});
    const { text, isError } = await task.result();
    if (!isError) throw new Error(`expected an error, got: ${text}`);
    expectIn("the result of the failed tool", "always fails", text);
  },
  ask:
    (driver, { ask }) =>
    async () => {
      const { text } = await driver.run(ask.tool, ask.args);
      expectIn("the result", ask.text, text);
    },
  cancel:
    (driver, { wait, cancelled }) =>
    async (end) => {
      const task = await begin(driver, wait.tool, wait.args);
      await task.cancel();
      expectIn("the status", "cancelled", await task.status());
      if (cancelled === undefined) return;
      while (!end.aborted && (await driver.call(cancelled)).text === "0") await delay(25);
    },
  resume: (driver) => async () => {
    const task = await begin(driver, "report", { title: "August" });
    const kept = JSON.stringify(task.reference);
    await task.detach();
    const again = await driver.resume(JSON.parse(kept));
    const { text } = await again.result();
    expectIn("the result", "Report on August", text);
  },
  list: (driver) => async () => {
    const { id } = await begin(driver, "report", { title: "September" });
    expectIn("the tasks", String(id), (await driver.list?.()) ?? []);
  },
};

async function begin(driver: TaskDriver, tool: string, args: object): Promise<TaskHold> {
  const task = await driver.begin(tool, args);
  if (task.id === undefined) throw new Error("the server has made no task of the call");
  return task;
}
