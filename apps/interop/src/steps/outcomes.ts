import { setTimeout as delay } from "node:timers/promises";

/** How a step ended: passed, not possible with this pair, or what went wrong. */
export type StepOutcome = "passed" | "impossible" | { readonly failed: string };

/** How each step ended. */
export type StepOutcomes = { readonly [step: string]: StepOutcome };

/** Time limit of a step. */
const STEP_MS = 10_000;
/** Time limit of a step that is known to fail, probably by hanging. */
const HANGING_STEP_MS = 3000;

/** Runs a step. The signal aborts when the step has failed or timed out, so that it does not interfere with the next one. */
export type StepRun = (signal: AbortSignal) => unknown;

/** Runs a step with a time limit. */
export async function attempt(run: StepRun, isKnownToFail = false): Promise<StepOutcome> {
  const milliseconds = isKnownToFail ? HANGING_STEP_MS : STEP_MS;
  const end = new AbortController();
  const tooLate = delay(milliseconds, `no answer within ${milliseconds} ms`, { signal: end.signal });
  try {
    const late = await Promise.race([Promise.resolve(run(end.signal)).then(() => undefined), tooLate]);
    return late === undefined ? "passed" : { failed: late };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  } finally {
    tooLate.catch(() => undefined);
    end.abort();
  }
}
