import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Driver } from "./driver.ts";
import { attempt, type StepOutcome, type StepOutcomes, type StepRun } from "./outcomes.ts";
import type { Script } from "./script.ts";

/** The steps that every pair of a client and a server takes, as far as both can. */
export const STEPS = [
  "list",
  "call",
  "structured",
  "read",
  "prompt",
  "tool error",
  "protocol error",
  "progress",
  "cancel",
  "ask",
  "give up",
  "end",
] as const;

/** The steps that a client runs. `end` is checked after the client has exited. */
type Step = Exclude<(typeof STEPS)[number], "end">;

/** Which steps to run, and what to expect of them. */
export interface StepChoice {
  /** Steps that are skipped because one side does not support them. */
  readonly without: readonly string[];
  /** Steps that are known to fail. They get a shorter time limit. */
  readonly knownToFail?: readonly string[];
}

/** Goes through the steps, one after the other; a step that fails does not keep the others from being tried. */
export async function runSteps(driver: Driver, script: Script, choice: StepChoice): Promise<StepOutcomes> {
  const outcomes: { [step: string]: StepOutcome } = {};
  for (const step of STEPS.filter((name): name is Step => name !== "end")) {
    const run = choice.without.includes(step) ? undefined : steps[step](driver, script);
    outcomes[step] = run === undefined ? "impossible" : await attempt(run, choice.knownToFail?.includes(step) === true);
  }
  return outcomes;
}

/** The steps by name; `undefined` where the two sides cannot do it. */
const steps: {
  readonly [S in Step]: (driver: Driver, script: Script) => StepRun | undefined;
} = {
  list: (driver, script) => async () => {
    expectIn("the tools", script.call.tool, await driver.listTools());
    if (driver.listPrompts) expectIn("the prompts", script.prompt.name, await driver.listPrompts());
    if (driver.listResources) await driver.listResources();
  },
  call:
    (driver, { call }) =>
    async () => {
      const { text, isError } = await driver.callTool(call.tool, call.args);
      if (isError) throw new Error(`the tool failed: ${text}`);
      expectIn("the answer", call.text, text);
    },
  structured: (driver, { structured }) =>
    structured &&
    (async () => {
      const { structured: value } = await driver.callTool(structured.tool, structured.args);
      if (!isDeepStrictEqual(value, structured.value)) {
        throw new Error(`expected ${JSON.stringify(structured.value)}, got ${JSON.stringify(value)}`);
      }
    }),
  read:
    (driver, { read }) =>
    async () => {
      if (!driver.readResource) throw new Error("this client cannot read resources");
      expectIn("the resource", read.text, await driver.readResource(read.uri));
    },
  prompt:
    (driver, { prompt }) =>
    async () => {
      if (!driver.getPrompt) throw new Error("this client cannot get prompts");
      expectIn("the prompt", prompt.text, await driver.getPrompt(prompt.name, prompt.args));
    },
  "tool error": (driver, { toolError }) =>
    toolError &&
    (async () => {
      const { text, isError } = await driver.callTool(toolError.tool, toolError.args);
      if (!isError) throw new Error(`expected an error, got: ${text}`);
    }),
  "protocol error": (driver) => async () => {
    const answer = driver.getPrompt?.("no-such-prompt", {}) ?? driver.readResource?.("memo://no-such-resource");
    if (answer === undefined) throw new Error("this client can only call tools");
    const error = await rejectionOf(answer);
    const { code } = error as { readonly code?: unknown };
    if (typeof code !== "number") throw new Error(`expected a JSON-RPC error, got: ${String(error)}`);
  },
  progress: (driver, { progress }) =>
    progress &&
    (async () => {
      let reports = 0;
      const going: Promise<unknown>[] = [];
      const onProgress = (): void => {
        reports++;
        if (progress.next !== undefined) going.push(driver.callTool(progress.next, {}));
      };
      await driver.callTool(progress.tool, progress.args, { onProgress });
      await Promise.all(going);
      if (reports < 2) throw new Error(`expected several reports of progress, got ${reports}`);
    }),
  cancel: (driver, { call, wait, waiting, cancelled }) =>
    wait &&
    (async (end) => {
      const controller = new AbortController();
      const { signal } = controller;
      const cancel = (): void => controller.abort(new Error("cancelled by the test"));
      // Cancel when the tool runs: at its first progress report, or when the server counts the call, as not all peers show progress.
      const rejection = rejectionOf(driver.callTool(wait.tool, wait.args, { signal, onProgress: cancel }));
      const found = waiting && untilCounted(driver, waiting.tool, [signal, end]).then(cancel);
      await Promise.all([rejection, found]);
      if (cancelled !== undefined && !(await untilCounted(driver, cancelled.tool, [end]))) {
        throw new Error("the server did not hear of the cancellation");
      }
      await callAgain(driver, call, end);
    }),
  ask: (driver, { ask }) =>
    ask && driver.canAnswer
      ? async () => {
          const { text } = await driver.callTool(ask.tool, ask.args);
          expectIn("the answer", ask.text, text);
        }
      : undefined,
  // Unlike `cancel`, this makes no other calls before the cancellation. A bridge that renumbers requests, but not
  // cancellations, then cancels a later request.
  "give up": (driver, { call, wait }) =>
    wait &&
    (async (end) => {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      await rejectionOf(driver.callTool(wait.tool, wait.args, { signal }));
      await callAgain(driver, call, end);
    }),
};

/** Long enough for the call to be sent. */
const PATIENCE_MS = 200;
/** Enough to reach the id of a wrong cancellation. */
const CALLS_AFTER_CANCELLING = 4;

async function callAgain(driver: Driver, { tool, args, text }: Script["call"], end: AbortSignal): Promise<void> {
  for (let more = 0; more < CALLS_AFTER_CANCELLING && !end.aborted; more++) {
    expectIn("the answer", text, (await driver.callTool(tool, args)).text);
  }
}

/** Calls a counting tool until it returns 1. */
async function untilCounted(driver: Driver, tool: string, ends: readonly AbortSignal[]): Promise<boolean> {
  for (let attempts = 0; attempts < 100 && !ends.some(({ aborted }) => aborted); attempts++) {
    const { text } = await driver.callTool(tool, {});
    if (text === "1") return true;
    await delay(20);
  }
  return false;
}

async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`expected a failure, got: ${JSON.stringify(value)}`);
}

export function expectIn(where: string, expected: string, actual: string | readonly string[]): void {
  if (!actual.includes(expected)) throw new Error(`${where} should contain ${expected}: ${JSON.stringify(actual)}`);
}
