import { setTimeout as delay } from "node:timers/promises";

/** How a step ended: passed, not possible with this pair, or what went wrong. */
export type StepOutcome = "passed" | "impossible" | { readonly failed: string };

/** How each step ended. */
export type StepOutcomes = { readonly [step: string]: StepOutcome };

/** No step takes longer than this, unless something hangs. */
const STEP_MS = 10_000;
/** For steps that are known to hang. */
const HANGING_STEP_MS = 3000;

/** Does a step. The signal aborts when nobody waits for it any more, so that it does not get in the way of the next one. */
export type StepRun = (signal: AbortSignal) => unknown;

/** Takes a step, and does not wait for it forever. */
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
