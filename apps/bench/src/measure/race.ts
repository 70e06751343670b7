/** Measures several entrants in turn, round after round, so that whatever the machine does hits all of them alike. */
import { BEFORE } from "../processes/programs.ts";
import type { Throughput, Window } from "../load/load.ts";
import type { MemoryUse } from "../processes/memory.ts";

/** How thoroughly to measure. */
export interface Effort {
  readonly rounds: number;
  /** For how long there is load before the first round, at the most: it ends when calls do not get faster any more. */
  readonly warmUpMs: number;
  readonly settleMs: number;
  readonly windowMs: number;
}

/** One that takes part in a race. */
export interface Entrant {
  readonly name: string;
  /** Differences from what was asked for; shown in the table. */
  readonly note?: string;
  /** Resolves with whether it has been under load before. */
  prepare(): Promise<boolean>;
  measure(window: Window): Promise<Throughput>;
  /** The memory that the measured process holds at the end. */
  readMemory(): Promise<MemoryUse>;
  /** The race is over, or it is out of it. */
  release(hasFailed: boolean): Promise<void>;
}

/** The outcome of one contender: calls per second by round, or why there are none. */
export type Outcome =
  | { readonly name: string; readonly note?: string; readonly rates: readonly number[]; readonly memory: MemoryUse }
  | { readonly name: string; readonly absence: string };

/** Runs the race. An entrant that fails is out of it, and says why. */
export async function race(entrants: readonly Entrant[], effort: Effort): Promise<Outcome[]> {
  const rates = new Map<Entrant, number[]>();
  const memory = new Map<Entrant, MemoryUse>();
  const failures = new Map<Entrant, string>();
  const attempt = async (entrant: Entrant, step: () => Promise<void>): Promise<void> => {
    if (failures.has(entrant)) return;
    try {
      await step();
    } catch (error) {
      failures.set(entrant, error instanceof Error ? error.message : String(error));
    }
  };
  try {
    for (const entrant of entrants) {
      rates.set(entrant, []);
      await attempt(entrant, async () => {
        const isWarm = await entrant.prepare();
        const share = (isWarm ? 1 / 4 : 1) * (HAS_TARGET.includes(entrant.name) ? 1 : 1 / 2);
        await warmUp(entrant, effort.warmUpMs * share);
      });
    }
    for (let round = 0; round < effort.rounds; round++) {
      const running = entrants.filter(({ name }) => round < effort.rounds / 2 || HAS_TARGET.includes(name));
      // Every other round backwards: nobody always comes after the same neighbour.
      for (const entrant of round % 2 === 0 ? running : running.toReversed()) {
        await attempt(entrant, async () => {
          const { calls, ms } = await entrant.measure({ settleMs: effort.settleMs, ms: effort.windowMs });
          rates.get(entrant)?.push((calls / ms) * 1000);
        });
      }
    }
    for (const entrant of entrants) {
      await attempt(entrant, async () => void memory.set(entrant, await entrant.readMemory()));
    }
  } finally {
    await Promise.all(entrants.map((entrant) => entrant.release(failures.has(entrant))));
  }
  return entrants.map((entrant) => {
    const { name, note } = entrant;
    const used = memory.get(entrant);
    if (used === undefined) return { name, absence: `failed: ${failures.get(entrant) ?? "no memory was read"}` };
    return { name, ...(note !== undefined && { note }), rates: rates.get(entrant) ?? [], memory: used };
  });
}

/** The contenders that a target compares. The others get half the warm-up and half the rounds, to save time. */
const HAS_TARGET: readonly string[] = ["toolwire", "toolwire-protected", BEFORE, "v2", "raw"];

/** Puts load on an entrant until its best is behind it: the compiler goes on finding out what is hot for seconds. */
async function warmUp(entrant: Entrant, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  let best = 0;
  for (let inVain = 0; inVain < STEPS_IN_VAIN && performance.now() < end; inVain++) {
    const { calls, ms } = await entrant.measure({ settleMs: 0, ms: WARM_UP_STEP_MS });
    if (calls / ms > best * 1.05) inVain = -1;
    best = Math.max(best, calls / ms);
  }
}

const WARM_UP_STEP_MS = 100;
const STEPS_IN_VAIN = 5;
