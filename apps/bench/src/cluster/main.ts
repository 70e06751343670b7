/** Entry point of `npm run bench:cluster`. */
import { writeFileSync } from "node:fs";
import { cpus, release, type as systemName } from "node:os";
import { parseArgs } from "node:util";
import { compareWith } from "../processes/programs.ts";
import { isPinning } from "../processes/pinning.ts";
import { listRaces, type Race } from "./contenders.ts";
import { startEngines } from "./engines.ts";
import { type ClusterEffort, type RaceFigures, runRace } from "./rates.ts";
import { printFigures, writeClusterReport } from "./report.ts";

const HELP = `Measures what clusters and telemetry cost: each server against one that has nothing of it, in turn.

  npm run bench:cluster                   about ten minutes; writes apps/bench/CLUSTER.md and docs/cluster-costs.md
  npm run bench:cluster -- --quick        two minutes; writes nothing

  --only session,warm-redis               these contenders only; writes nothing
  --rounds 7                              how often each contender is measured after each of three starts
  --compare FOLDER                        also measures modern calls as another checkout serves them, which must be built
  --json FILE                             also writes every figure of every round as JSON
  --help                                  shows this
`;

const USUAL: ClusterEffort = {
  starts: 3,
  rounds: 7,
  warmUpCalls: 30_000,
  warmUpMs: 5000,
  settleMs: 50,
  windowMs: 300,
};
const QUICK: ClusterEffort = {
  starts: 1,
  rounds: 3,
  warmUpCalls: 15_000,
  warmUpMs: 3000,
  settleMs: 50,
  windowMs: 200,
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      rounds: { type: "string" },
      compare: { type: "string" },
      json: { type: "string" },
    },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const effort = {
    ...(values.quick ? QUICK : USUAL),
    ...(values.rounds !== undefined && { rounds: Number(values.rounds) }),
  };
  if (!Number.isInteger(effort.rounds) || effort.rounds < 1) throw new Error("--rounds takes a number, 1 or more.");
  if (values.compare !== undefined) compareWith(values.compare);
  const races = chooseRaces(listRaces(values.compare !== undefined), values.only?.split(","));
  const start = performance.now();
  const report = (what: string): void => {
    console.error(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${what}`);
  };
  const figures = await run(races, effort, report);
  console.log(`${describeMachine(effort)}\n\n${printFigures(figures)}`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ effort, figures }, undefined, 2)}\n`);
  if (values.quick || values.only !== undefined) return;
  writeFileSync(new URL("../../CLUSTER.md", import.meta.url), writeClusterReport(figures, describeMachine(effort)));
}

async function run(
  races: readonly Race[],
  effort: ClusterEffort,
  report: (what: string) => void,
): Promise<RaceFigures[]> {
  const engines = await startEngines();
  try {
    const figures: RaceFigures[] = [];
    for (const race of races) {
      report(race.title);
      figures.push(await runRace(race, engines, effort));
    }
    return figures;
  } finally {
    await engines.stop();
  }
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

function describeMachine({ starts, rounds }: ClusterEffort): string {
  const [cpu] = cpus();
  const pinning = isPinning()
    ? "servers on one core, the load and the engines on another"
    : "nothing pinned, so that all compete for cores";
  return (
    `Measured on ${new Date().toISOString().slice(0, 10)}: ${cpu?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores, ` +
    `${systemName()} ${release()}, Node ${process.versions.node}; ${pinning}; contenders interleaved, ratios within a round, ` +
    `median (and quartiles) of ${starts * rounds} rounds in ${starts} starts.`
  );
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
