/** Measures several entrants in turn, round after round, so that whatever the machine does hits all of them alike. */
import type { Throughput, Window } from "../load/load.ts";
import type { MemoryUse } from "../processes/memory.ts";

/** How thoroughly to measure. */
export interface Effort {
  readonly rounds: number;
  /** Load before the first round, for the compiler to find out what is hot: so many calls, but not for longer than that. */
  readonly warmUpCalls: number;
  readonly warmUpMs: number;
  readonly settleMs: number;
  readonly windowMs: number;
}

/** One that takes part in a race. */
export interface Entrant {
  readonly name: string;
  /** What is different from what was asked; shown in the table. */
  readonly note?: string;
  /** Resolves with whether it has been under load before. */
  prepare(): Promise<boolean>;
  measure(window: Window): Promise<Throughput>;
  /** What the measured process holds at the end. */
  readMemory(): Promise<MemoryUse>;
  /** The race is over, or it is out of it. */
  release(hasFailed: boolean): Promise<void>;
}

/** What became of one of them: calls per second by round, or why there are none. */
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
        await warmUp(entrant, isWarm ? effort.warmUpCalls / 10 : effort.warmUpCalls, effort.warmUpMs);
      });
    }
    for (let round = 0; round < effort.rounds; round++) {
      // Every other round backwards: nobody always comes after the same neighbour.
      for (const entrant of round % 2 === 0 ? entrants : entrants.toReversed()) {
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

async function warmUp(entrant: Entrant, enough: number, limitMs: number): Promise<void> {
  const start = performance.now();
  for (let calls = 0; calls < enough && performance.now() - start < limitMs;) {
    calls += (await entrant.measure({ settleMs: 0, ms: WARM_UP_STEP_MS })).calls;
  }
}

const WARM_UP_STEP_MS = 150;
