import type { Random } from "@toolwire/evidence/load";
import type { ToolArguments, ToolName } from "../servers/task.ts";

/** A call as it is to be made. */
export interface CallPlan {
  readonly tool: ToolName;
  readonly args: Omit<ToolArguments, "call">;
  /** How many milliseconds after its first report the caller cancels it. Earlier, no server may have it yet. */
  readonly cancelAfter: number | undefined;
}

/** How long a call works that is to be cancelled. Its handler has ended by then, whatever becomes of the cancellation. */
export const LONG_MS = 10_000;

const WEIGHTS: Readonly<Record<ToolName, number>> = { count: 45, progress: 15, ask: 15, stream: 15, long: 10 };

const PLANS: Readonly<Record<ToolName, (random: Random) => Omit<CallPlan, "tool">>> = {
  count: () => ({ args: { ms: 0, reports: 0 }, cancelAfter: undefined }),
  progress: (random) => ({
    args: { ms: random.between(5, 60), reports: random.between(1, 5) },
    cancelAfter: undefined,
  }),
  ask: () => ({ args: { ms: 0, reports: 0 }, cancelAfter: undefined }),
  stream: (random) => ({
    args: { ms: random.between(100, 800), reports: random.between(5, 25) },
    cancelAfter: undefined,
  }),
  long: (random) => ({ args: { ms: LONG_MS, reports: 1 }, cancelAfter: random.between(0, 100) }),
};

/** Chooses the next call. */
export function planCall(random: Random): CallPlan {
  const tool = random.pick(WEIGHTS);
  return { tool, ...PLANS[tool](random) };
}
