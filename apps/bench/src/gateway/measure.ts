/** Measures all contenders in turn, round after round, so that whatever the machine does hits all of them alike. */
import { readCpuTime } from "../processes/cpu-time.ts";
import { Worker } from "../processes/worker.ts";
import type { Contender, Site } from "./contenders.ts";
import type { GatewayLoadCommands, Latency } from "./load.ts";
import type { RunningProgram } from "./programs.ts";
import type { Size } from "./workload.ts";

/** How thoroughly to measure. */
export interface GatewayEffort {
  readonly rounds: number;
  /** How many calls each contender answers before the first round, unless that takes too long. */
  readonly warmUpCalls: number;
  readonly warmUpMs: number;
  readonly settleMs: number;
  readonly windowMs: number;
}

/** The figures of one contender, by round; or why there are none. */
export interface Figures {
  readonly name: string;
  readonly description: string;
  readonly backend: Contender["backend"];
  /** Calls a second with 64 calls in flight. */
  readonly rates: Record<Size, number[]>;
  /** Microseconds of CPU that a call costs the contender, with 64 calls in flight. */
  readonly costs: Record<Size, number[]>;
  /** With one call in flight and small responses. */
  readonly latencies: Latency[];
  failure: string | undefined;
}

const IN_FLIGHT = 64;
const WARM_UP_STEP_MS = 200;

/** Starts all contenders and measures them. One that fails is out of it, and says why. */
export async function measureContenders(
  contenders: readonly Contender[],
  site: Site,
  effort: GatewayEffort,
  progress: (what: string) => void,
): Promise<Figures[]> {
  const load = new Worker<GatewayLoadCommands>({ script: new URL("load.js", import.meta.url), role: "load" });
  const entrants: Entrant[] = contenders.map((contender) => new Entrant(contender, load));
  try {
    for (const entrant of entrants) {
      progress(`starting ${entrant.figures.name}`);
      await entrant.attempt(() => entrant.start(site));
    }
    for (const size of ["small", "large"] as const) {
      progress(`calls a second, ${size} responses`);
      await inRounds(entrants, effort, async (entrant, isFirst) => {
        if (isFirst) await entrant.prepare(size, IN_FLIGHT, effort);
        await entrant.measureRate(size, effort);
      });
    }
    progress("latency");
    await inRounds(entrants, effort, async (entrant, isFirst) => {
      if (isFirst) await entrant.prepare("small", 1, effort);
      await entrant.measureLatency(effort);
    });
  } finally {
    await load.stop();
    await Promise.all(entrants.map((entrant) => entrant.stop()));
  }
  return entrants.map(({ figures }) => figures);
}

async function inRounds(
  entrants: readonly Entrant[],
  { rounds }: GatewayEffort,
  measure: (entrant: Entrant, isFirst: boolean) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    // Every other round backwards: nobody always comes after the same neighbour.
    for (const entrant of round % 2 === 0 ? entrants : entrants.toReversed()) {
      await entrant.attempt(() => measure(entrant, round === 0));
    }
  }
}

class Entrant {
  readonly figures: Figures;
  readonly #contender: Contender;
  readonly #load: Worker<GatewayLoadCommands>;
  #program: RunningProgram | undefined;

  constructor(contender: Contender, load: Worker<GatewayLoadCommands>) {
    const { name, description, backend } = contender;
    this.#contender = contender;
    this.#load = load;
    this.figures = {
      name,
      description,
      backend,
      rates: { small: [], large: [] },
      costs: { small: [], large: [] },
      latencies: [],
      failure: undefined,
    };
  }

  async attempt(step: () => Promise<void>): Promise<void> {
    if (this.figures.failure !== undefined) return;
    try {
      await step();
    } catch (error) {
      this.figures.failure = error instanceof Error ? error.message : String(error);
    }
  }

  async start(site: Site): Promise<void> {
    this.#program = await this.#contender.start(site);
  }

  /** Gets ready, and warms up: by calls and not by time, because compilers go by those, and the machine may be busy. */
  async prepare(size: Size, inFlight: number, { warmUpCalls, warmUpMs }: GatewayEffort): Promise<void> {
    const { name: contender, how, path } = this.#contender;
    const port = this.#program?.port ?? 0;
    await this.#load.ask("prepare", { contender, port, path, how, size, inFlight });
    const end = performance.now() + warmUpMs;
    for (let calls = 0; calls < warmUpCalls && performance.now() < end;) {
      const { all } = await this.#load.ask("measure", { contender, settleMs: 0, ms: WARM_UP_STEP_MS });
      calls += all;
    }
  }

  async measureRate(size: Size, { settleMs, windowMs }: GatewayEffort): Promise<void> {
    const { name: contender } = this.#contender;
    // The time before the window counts as well, because the load runs then, too.
    const before = this.#cpuTime();
    const { calls, ms, all } = await this.#load.ask("measure", { contender, settleMs, ms: windowMs });
    const after = this.#cpuTime();
    this.figures.rates[size].push((calls / ms) * 1000);
    if (before !== undefined && after !== undefined) this.figures.costs[size].push(((after - before) * 1000) / all);
  }

  async measureLatency({ settleMs, windowMs }: GatewayEffort): Promise<void> {
    const { name: contender } = this.#contender;
    this.figures.latencies.push(await this.#load.ask("time", { contender, settleMs, ms: windowMs }));
  }

  #cpuTime(): number | undefined {
    const pid = this.#program?.pid;
    return pid === undefined ? undefined : readCpuTime(pid);
  }

  async stop(): Promise<void> {
    await this.#program?.stop();
  }
}
