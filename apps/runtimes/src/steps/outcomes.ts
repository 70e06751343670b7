/** How a step ended. */
export type StepOutcome = "passed" | { readonly failed: string };

/** How each step of a run ended, by its name, in the order in which they were taken. */
export interface Outcomes {
  readonly [step: string]: StepOutcome;
}

/** Steps by name. */
export interface Steps {
  readonly [step: string]: () => Promise<void>;
}

/** No step takes longer than this, unless something hangs. */
const STEP_MS = 20_000;

/** Goes through steps, one after the other; one that fails does not keep the others from being tried. */
export async function takeSteps(steps: Steps): Promise<Outcomes> {
  const outcomes: { [step: string]: StepOutcome } = {};
  for (const [name, step] of Object.entries(steps)) outcomes[name] = await attempt(step);
  return outcomes;
}

/** Tries one thing, and gives up on it in time. */
export async function attempt(step: () => Promise<void>): Promise<StepOutcome> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<StepOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ failed: `not done within ${STEP_MS} ms` }), STEP_MS);
  });
  try {
    return await Promise.race([step().then((): StepOutcome => "passed"), tooLate]);
  } catch (error) {
    return { failed: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  } finally {
    clearTimeout(timer);
  }
}
