/** Entry point of `npm run bench:cluster`. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release, type as systemName } from "node:os";
import { parseArgs } from "node:util";
import { compareWith } from "../processes/programs.ts";
import { isPinning } from "../processes/pinning.ts";
import { listRaces, type Race } from "./contenders.ts";
import type { Load } from "./costs/operations.ts";
import { writeCostPage } from "./costs/page.ts";
import { type RunningEngines, startEngines } from "./engines.ts";
import type { ClusterFigures, SimulationFigures } from "./figures.ts";
import { type FootprintEffort, measureFootprints } from "./footprints.ts";
import { type LatencyEffort, measureLatencies } from "./latencies.ts";
import { measureOperations } from "./operations.ts";
import { type ClusterEffort, type RaceFigures, runRace } from "./rates.ts";
import { printFigures, writeClusterReport } from "./report.ts";
import { type Simulation, simulate } from "./simulation/simulate.ts";

const HELP = `Measures what clusters and telemetry cost: each server against one that has nothing of it, in turn.

  npm run bench:cluster                   about fifteen minutes; writes apps/bench/CLUSTER.md and docs/cluster-costs.md
  npm run bench:cluster -- --quick        three minutes; writes nothing

  --only session,warm-redis               these contenders only, and nothing else; writes nothing
  --starts 3                              how often all servers are started anew
  --rounds 7                              how often each contender is measured after each start
  --compare FOLDER                        also measures modern calls as another checkout serves them, which must be built
  --json FILE                             also writes every figure of every round as JSON
  --from FILE                             measures nothing, and writes both documents from such a file
  --help                                  shows this
`;

/** How thoroughly to measure everything. */
interface Effort {
  readonly rates: ClusterEffort;
  readonly footprints: FootprintEffort;
  readonly latencies: LatencyEffort;
  /** How often each operation of an engine is called. */
  readonly calls: number;
  readonly simulation: Simulation;
}

const LOAD: Load = {
  nodes: 8,
  reach: 8,
  sessions: 500,
  streams: 50,
  calls: 10,
  questions: 0.1,
  cancellations: 0.05,
  resumptions: 0.1,
  turnover: 0.14,
  reconnections: 0.1,
  changes: 0.05,
};

const USUAL: Effort = {
  rates: { starts: 3, rounds: 7, warmUpCalls: 30_000, warmUpMs: 12_000, settleMs: 50, windowMs: 300 },
  footprints: { sessions: 10_000, streams: 5000 },
  latencies: { times: 500, listeners: 100 },
  calls: 5000,
  simulation: { load: LOAD, settling: 300, counting: 1800, seed: 1 },
};
const QUICK: Effort = {
  rates: { starts: 1, rounds: 3, warmUpCalls: 15_000, warmUpMs: 3000, settleMs: 50, windowMs: 200 },
  footprints: { sessions: 2000, streams: 1000 },
  latencies: { times: 200, listeners: 20 },
  calls: 2000,
  simulation: {
    load: { ...LOAD, sessions: 100, streams: 10, calls: 2, changes: 0.02 },
    settling: 120,
    counting: 900,
    seed: 1,
  },
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      starts: { type: "string" },
      rounds: { type: "string" },
      compare: { type: "string" },
      json: { type: "string" },
      from: { type: "string" },
    },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  if (values.from !== undefined) {
    publish(JSON.parse(readFileSync(values.from, "utf8")) as ClusterFigures);
    return;
  }
  const effort = values.quick ? QUICK : USUAL;
  const rates = {
    ...effort.rates,
    starts: readCount("starts", values.starts) ?? effort.rates.starts,
    rounds: readCount("rounds", values.rounds) ?? effort.rates.rounds,
  };
  if (values.compare !== undefined) compareWith(values.compare);
  const races = chooseRaces(listRaces(values.compare !== undefined), values.only?.split(","));
  const start = performance.now();
  const figures = await run(races, { ...effort, rates }, values.only === undefined, (what) => {
    console.error(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${what}`);
  });
  console.log(printFigures(figures));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, undefined, 2)}\n`);
  if (!values.quick && values.only === undefined) publish(figures);
}

function readCount(name: string, value: string | undefined): number | undefined {
  const count = value === undefined ? undefined : Number(value);
  if (count !== undefined && !(Number.isInteger(count) && count > 0)) {
    throw new Error(`--${name} takes a number, 1 or more.`);
  }
  return count;
}

function publish(figures: ClusterFigures): void {
  writeFileSync(new URL("../../CLUSTER.md", import.meta.url), writeClusterReport(figures));
  writeFileSync(new URL("../../../../docs/cluster-costs.md", import.meta.url), writeCostPage(figures));
}

async function run(
  races: readonly Race[],
  effort: Effort,
  isComplete: boolean,
  report: (what: string) => void,
): Promise<ClusterFigures> {
  const engines = await startEngines();
  const failures: string[] = [];
  const fail = (what: string, error: unknown): void => {
    failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  };
  try {
    const done: RaceFigures[] = [];
    for (const race of races) {
      report(race.title);
      done.push(await runRace(race, engines, effort.rates));
    }
    const circumstances = describeMachine(effort.rates, engines);
    const figures = { circumstances, races: done, footprints: [], latencies: [], operations: [], failures };
    if (!isComplete) return { ...figures, simulation: undefined };
    report("memory");
    const footprints = await measureFootprints(engines, effort.footprints, fail);
    report("between nodes");
    const latencies = await measureLatencies(engines, effort.latencies, fail);
    report("operations of engines");
    const operations = await measureOperations(engines, effort.calls, fail);
    report("simulation");
    const simulation = await runSimulation(effort.simulation);
    return { ...figures, footprints, latencies, operations, simulation };
  } finally {
    await engines.stop();
  }
}

async function runSimulation(simulation: Simulation): Promise<SimulationFigures> {
  const { load, operations, messages } = await simulate(simulation);
  return { load, seconds: simulation.counting, messages, counted: [...operations] };
}

/** The races of these contenders, with their bases. */
function chooseRaces(races: readonly Race[], wanted: readonly string[] | undefined): readonly Race[] {
  if (wanted === undefined) return races;
  const names = races.flatMap(({ contenders }) => contenders.map(({ name }) => name));
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(`There is no contender ${unknown.join(", ")}. There are ${names.join(", ")}.`);
  }
  return races.flatMap((race) => {
    const isWanted = race.contenders.some(({ name }) => wanted.includes(name));
    const contenders = race.contenders.filter(({ name }) => name === race.base || wanted.includes(name));
    return isWanted ? [{ ...race, contenders }] : [];
  });
}

function describeMachine({ starts, rounds }: ClusterEffort, { versions }: RunningEngines): string {
  const [cpu] = cpus();
  const pinning = isPinning()
    ? "servers on one core, the load and the engines on another"
    : "nothing pinned, so that all compete for cores";
  return (
    `Measured on ${new Date().toISOString().slice(0, 10)}: ${cpu?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores, ` +
    `${systemName()} ${release()}, Node ${process.versions.node}, ${versions}; ${pinning}; contenders interleaved, ratios within a round, ` +
    `median (and quartiles) of ${starts * rounds} rounds in ${starts} ${starts === 1 ? "start" : "starts"}.`
  );
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
