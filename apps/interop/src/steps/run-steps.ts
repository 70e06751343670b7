import { setTimeout as delay } from "node:timers/promises";
import type { Driver } from "./driver.ts";
import type { Script } from "./script.ts";

/** What every pair of a client and a server goes through, as far as both can. */
export const STEPS = [
  "list",
  "call",
  "read",
  "prompt",
  "tool error",
  "protocol error",
  "progress",
  "cancel",
  "ask",
] as const;

/** The name of a step. */
export type Step = (typeof STEPS)[number];

/** How a step ended: passed, not possible with this pair, or what went wrong. */
export type StepOutcome = "passed" | "impossible" | { readonly failed: string };

/** How each step ended. */
export type StepOutcomes = { readonly [S in Step]: StepOutcome };

/** No step takes longer than this, unless something hangs. */
const STEP_MS = 10_000;

/** Goes through the steps, one after the other; a step that fails does not keep the others from being tried. */
export async function runSteps(driver: Driver, script: Script, without: readonly Step[]): Promise<StepOutcomes> {
  const outcomes: { [S in Step]?: StepOutcome } = {};
  for (const step of STEPS) {
    const run = without.includes(step) ? undefined : steps[step](driver, script);
    outcomes[step] = run === undefined ? "impossible" : await attempt(run);
  }
  return outcomes as StepOutcomes;
}

async function attempt(run: () => Promise<void>): Promise<StepOutcome> {
  const timer = new AbortController();
  const tooLate = delay(STEP_MS, `no answer within ${STEP_MS} ms`, { signal: timer.signal });
  try {
    const late = await Promise.race([run(), tooLate]);
    return late === undefined ? "passed" : { failed: late };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  } finally {
    tooLate.catch(() => undefined);
    timer.abort();
  }
}

/** The steps by name; `undefined` where the two sides cannot do it. */
const steps: { readonly [S in Step]: (driver: Driver, script: Script) => (() => Promise<void>) | undefined } = {
  list: (driver, script) => async () => {
    expectIn("the tools", script.call.tool, await driver.listTools());
    expectIn("the prompts", script.prompt.name, await driver.listPrompts());
    await driver.listResources();
  },
  call:
    (driver, { call }) =>
    async () => {
      const { text, isError } = await driver.callTool(call.tool, call.args);
      if (isError) throw new Error(`the tool failed: ${text}`);
      expectIn("the answer", call.text, text);
    },
  read:
    (driver, { read }) =>
    async () => {
      expectIn("the resource", read.text, await driver.readResource(read.uri));
    },
  prompt:
    (driver, { prompt }) =>
    async () => {
      expectIn("the prompt", prompt.text, await driver.getPrompt(prompt.name, prompt.args));
    },
  "tool error": (driver, { toolError }) =>
    toolError &&
    (async () => {
      const { text, isError } = await driver.callTool(toolError.tool, toolError.args);
      if (!isError) throw new Error(`expected an error, got: ${text}`);
    }),
  "protocol error": (driver) => async () => {
    const error = await rejectionOf(driver.getPrompt("no-such-prompt", {}));
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
  cancel: (driver, { call, wait, cancelled }) =>
    wait &&
    (async () => {
      const controller = new AbortController();
      // The first report says that the tool is running.
      const onProgress = (): void => controller.abort(new Error("cancelled by the test"));
      await rejectionOf(driver.callTool(wait.tool, wait.args, { signal: controller.signal, onProgress }));
      if (cancelled !== undefined) await untilCancelled(driver, cancelled.tool);
      await driver.callTool(call.tool, call.args);
    }),
  ask: (driver, { ask }) =>
    ask && driver.canAnswer
      ? async () => {
          const { text } = await driver.callTool(ask.tool, ask.args);
          expectIn("the answer", ask.text, text);
        }
      : undefined,
};

/** The news of a cancellation may take a moment. */
async function untilCancelled(driver: Driver, tool: string): Promise<void> {
  for (let attempts = 0; attempts < 100; attempts++) {
    const { text } = await driver.callTool(tool, {});
    if (text === "1") return;
    await delay(20);
  }
  throw new Error("the server did not hear of the cancellation");
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

function expectIn(where: string, expected: string, actual: string | readonly string[]): void {
  if (!actual.includes(expected)) throw new Error(`${where} should contain ${expected}: ${JSON.stringify(actual)}`);
}
