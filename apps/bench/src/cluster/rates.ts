/** Measures the servers of a race in turn, round after round. */
import type { LoadThroughput } from "../load/load.ts";
import { readCpuTime } from "../processes/cpu-time.ts";
import { BEFORE, findProgram } from "../processes/programs.ts";
import type { Role } from "../processes/pinning.ts";
import type { ServerCommands as BeforeCommands } from "../processes/serve.ts";
import { Worker } from "../processes/worker.ts";
import { type Contender, IN_FLIGHT, type Race } from "./contenders.ts";
import type { RunningEngines } from "./engines.ts";
import type { LoadCommands } from "./load.ts";
import { type RunningServer, startServer } from "./running-server.ts";

/** How thoroughly to measure. */
export interface ClusterEffort {
  /** How often all servers of a race are started anew: two processes of the same build differ for as long as they run. */
  readonly starts: number;
  /** How often each server is measured after each start. */
  readonly rounds: number;
  /** How many calls each server answers before the first round, unless that takes too long. */
  readonly warmUpCalls: number;
  readonly warmUpMs: number;
  readonly settleMs: number;
  readonly windowMs: number;
}

/** The figures of one contender, by round; or why there are none. */
export interface Figures {
  readonly name: string;
  readonly description: string;
  readonly rates: number[];
  /** Microseconds of CPU that a call costs all processes of the contender. */
  readonly costs: number[];
  /** The same for its engine, if that is a process of its own. */
  readonly engineCosts: number[];
  failure: string | undefined;
}

/** A race that was run. */
export interface RaceFigures extends Omit<Race, "contenders" | "role"> {
  readonly figures: readonly Figures[];
}

const WARM_UP_STEP_MS = 200;

/** Runs a race. A contender that fails is out of it, and says why. */
export async function runRace(
  { contenders, role, ...race }: Race,
  engines: RunningEngines,
  effort: ClusterEffort,
): Promise<RaceFigures> {
  const figures = new Map<Contender, Figures>(
    contenders.map((contender) => [
      contender,
      {
        name: contender.name,
        description: contender.description,
        rates: [],
        costs: [],
        engineCosts: [],
        failure: engines.reasonWithout(contender.engine),
      },
    ]),
  );
  for (let start = 0; start < effort.starts; start += 1) {
    const running = contenders.filter((contender) => figures.get(contender)?.failure === undefined);
    await runOnce(running, role, engines, effort, (contender) => figures.get(contender) as Figures);
  }
  return { ...race, figures: [...figures.values()] };
}

async function runOnce(
  contenders: readonly Contender[],
  role: Role,
  engines: RunningEngines,
  effort: ClusterEffort,
  figuresOf: (contender: Contender) => Figures,
): Promise<void> {
  const load = new Worker<LoadCommands>({ script: new URL("load.js", import.meta.url), role: "load" });
  const entrants = contenders.map((contender) => new Entrant(contender, role, engines, load, figuresOf(contender)));
  try {
    for (const entrant of entrants) await entrant.attempt(() => entrant.prepare(effort));
    for (let round = 0; round < effort.rounds; round += 1) {
      // Every other round backwards: nobody always comes after the same neighbour.
      for (const entrant of round % 2 === 0 ? entrants : entrants.toReversed()) {
        await entrant.attempt(() => entrant.measure(effort));
      }
    }
  } finally {
    await load.stop();
    await Promise.all(entrants.map((entrant) => entrant.stop()));
  }
}

class Entrant {
  readonly #contender: Contender;
  readonly #role: Role;
  readonly #engines: RunningEngines;
  readonly #load: Worker<LoadCommands>;
  readonly #figures: Figures;
  #server: Omit<RunningServer, "readMemory"> | undefined;

  constructor(contender: Contender, role: Role, engines: RunningEngines, load: Worker<LoadCommands>, figures: Figures) {
    this.#contender = contender;
    this.#role = role;
    this.#engines = engines;
    this.#load = load;
    this.#figures = figures;
  }

  async attempt(step: () => Promise<void>): Promise<void> {
    if (this.#figures.failure !== undefined) return;
    try {
      await step();
    } catch (error) {
      this.#figures.failure = error instanceof Error ? error.message : String(error);
    }
  }

  /** Starts the server, and warms it up: by calls and not by time, because compilers go by those, and the machine may be busy. */
  async prepare({ warmUpCalls, warmUpMs }: ClusterEffort): Promise<void> {
    const { name: contender, era, sessions, wiring } = this.#contender;
    this.#server = await this.#start();
    const { opening, calling } = this.#server;
    await this.#load.ask("prepare", { contender, opening, calling, era, sessions, inFlight: IN_FLIGHT });
    // Each process has compilers of its own.
    const least = warmUpCalls * (wiring.workers ?? 1);
    const end = performance.now() + warmUpMs;
    for (let calls = 0; calls < least && performance.now() < end;) {
      calls += (await this.#measure({ settleMs: 0, ms: WARM_UP_STEP_MS })).all;
    }
  }

  async measure({ settleMs, windowMs }: ClusterEffort): Promise<void> {
    const { pids = [] } = this.#server ?? {};
    const enginePids = this.#engines.pidsOf(this.#contender.engine);
    // The time before the window counts as well, because the load runs then, too.
    const before = [sumCpuTime(pids), sumCpuTime(enginePids)] as const;
    const { calls, ms, all } = await this.#measure({ settleMs, ms: windowMs });
    const after = [sumCpuTime(pids), sumCpuTime(enginePids)] as const;
    this.#figures.rates.push((calls / ms) * 1000);
    this.#figures.costs.push(((after[0] - before[0]) * 1000) / all);
    if (enginePids.length > 0) this.#figures.engineCosts.push(((after[1] - before[1]) * 1000) / all);
  }

  #measure(window: { readonly settleMs: number; readonly ms: number }): Promise<LoadThroughput> {
    return this.#load.ask("measure", { contender: this.#contender.name, ...window });
  }

  async #start(): Promise<Omit<RunningServer, "readMemory">> {
    const { wiring, engine, build } = this.#contender;
    if (build !== undefined) return startUsual(build, this.#role);
    return startServer({ ...wiring, engine: engine && this.#engines.addressOf(engine) }, this.#role);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }
}

/** Starts the server of `npm run bench`, which other checkouts have, too. */
async function startUsual(build: "this" | "before", role: Role): Promise<Omit<RunningServer, "readMemory">> {
  const { script, name } = findProgram(build === "before" ? BEFORE : "toolwire", "processes/serve.js");
  const wiring = { transport: "http", era: "modern", sessions: false, answers: "json", tools: 3 };
  const worker = new Worker<BeforeCommands>({ script, role, arguments: [name, JSON.stringify(wiring)] });
  const port = (await worker.ask("port", undefined)) ?? 0;
  const pids = worker.pid === undefined ? [] : [worker.pid];
  return { opening: port, calling: port, pids, stop: () => worker.stop() };
}

function sumCpuTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (readCpuTime(pid) ?? 0), 0);
}
