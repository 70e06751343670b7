import { findLeftovers, killLeftovers } from "@toolwire/evidence";
import { Random, readJournal } from "@toolwire/evidence/load";
import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { judge, type Verdict } from "./accounts/judge.ts";
import { Balancer } from "./balancer/balancer.ts";
import { listClientKinds } from "./clients/kinds.ts";
import type { Faults } from "./command-line.ts";
import type { Engine } from "./engines/engine.ts";
import { cutStreams, hurtOnce, killProcesses, type FaultCounts, type FaultTools } from "./faults/inject-faults.ts";
import { Load } from "./load/load.ts";
import { LONG_MS } from "./load/plan-call.ts";
import type { Fleet, FleetOptions } from "./servers/fleet.ts";
import { NodeFleet } from "./servers/node-fleet.ts";
import { WorkerFleet } from "./servers/worker-fleet.ts";

/** One engine with a number of processes, and what is done with them. */
export interface Cell {
  readonly engine: Engine;
  readonly nodes: number;
  /** How many calls of each era there are at least. */
  readonly calls: number;
  readonly seed: number;
  readonly faults: Faults;
  /** The longest pause between two calls of a client. */
  readonly pause: number;
  /** How long the official SDKs wait for an answer. */
  readonly sdkTimeout: number;
  /** For what servers and clients write down. */
  readonly directory: string;
}

/** How a cell went. */
export interface CellResult {
  /** The engine as people read it. */
  readonly engine: string;
  readonly nodes: number;
  readonly seconds: number;
  readonly faults: FaultCounts;
  /** How many processes were replaced by the rolling restart. */
  readonly replaced: number;
  readonly lostSessions: number;
  readonly verdict: Verdict;
}

/** The parts of the calls that are made before the faults, and during the rolling restart at least. */
const BEFORE = 0.05;
const ROLLING = 0.1;

/** How often the run tells how it is going. */
const PROGRESS_MS = 5000;

/** Runs one cell from the start of its processes to the verdict. */
export async function runCell(cell: Cell, tell: (line: string) => void): Promise<CellResult> {
  const { engine, nodes, directory, seed } = cell;
  const start = performance.now();
  const random = new Random(seed, engine.address.name, nodes);
  const balancer = new Balancer(random);
  const records = join(directory, `${engine.address.name}-${nodes}`);
  const journal = `${records}.journal`;
  rmSync(journal, { force: true });
  const mark = randomUUID();
  const fleet = createFleet(cell, { count: nodes, journal, mark, untilReady: (port) => balancer.untilReady(port) });
  const load = new Load(listClientKinds(cell.sdkTimeout), { url: await balancer.listen(), seed, pause: cell.pause });
  const counts: FaultCounts = { kills: 0, pauses: 0, cuts: 0, engineRestarts: 0, engineCutOffs: 0 };
  const progress = setInterval(() => {
    tell(
      `${Math.round((performance.now() - start) / 1000)} s: ${load.settled} calls of each era, ${counts.kills} kills`,
    );
  }, PROGRESS_MS);
  let replaced = 0;
  try {
    await fleet.start();
    balancer.balanceOver(fleet.ports);
    await untilAllReady(fleet, balancer);
    await load.connect();
    replaced = await makeCalls(cell, load, { fleet, engine: engine.faults, balancer, random, counts, tell });
    await delay(LONG_MS);
    await load.close();
  } finally {
    clearInterval(progress);
    await fleet.close();
    await balancer.close();
  }
  const leftovers = await findLeftovers(mark);
  killLeftovers(leftovers);
  const { executed, complaints, noted } = readJournal(journal);
  writeFileSync(`${records}.calls`, load.records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const verdict = judge({
    calls: load.records,
    effects: executed,
    begun: noted("begun"),
    cancelled: noted("cancelled"),
    cut: balancer.cutCalls,
    lostSessions: balancer.lostSessions,
    complaints: [
      ...fleet.complaints,
      ...complaints,
      // That the engine cannot be reached is no wonder while it is restarted or cut off.
      ...(engine.faults === undefined || cell.faults !== "all" ? noted("unavailable") : []),
      ...leftovers.map(({ pid, commandLine }) => `Process ${pid} is still there: ${commandLine}`),
    ],
    secondAnswers: load.secondAnswers,
  });
  return {
    engine: engine.title,
    nodes,
    seconds: Math.round((performance.now() - start) / 1000),
    faults: counts,
    replaced,
    lostSessions: balancer.lostSessions,
    verdict,
  };
}

function createFleet({ engine }: Cell, options: FleetOptions): Fleet {
  return engine.address.name === "workers" ? new WorkerFleet(options) : new NodeFleet(engine.address, options);
}

async function untilAllReady(fleet: Fleet, balancer: Balancer): Promise<void> {
  await fleet.untilAllServe();
  await Promise.all(fleet.ports.map((port) => balancer.untilReady(port)));
}

/** Makes all calls: at first nothing but streams is broken, then everything, and at last all processes are replaced. */
async function makeCalls({ calls, faults }: Cell, load: Load, tools: FaultTools): Promise<number> {
  const over = new AbortController();
  const cutting = faults === "none" ? undefined : cutStreams(tools, over.signal);
  try {
    if (faults !== "all") {
      await load.run({ calls, isCalm: true, until: Promise.resolve() });
      return 0;
    }
    await load.run({ calls: calls * BEFORE, isCalm: true, until: Promise.resolve() });
    await makeCallsUnderFaults(calls * (1 - BEFORE - ROLLING), load, tools);
    await untilAllReady(tools.fleet, tools.balancer);
    tools.tell("All processes are replaced.");
    const replacing = tools.fleet.replaceAll();
    await load.run({ calls: calls * ROLLING, isCalm: true, until: replacing });
    return await replacing;
  } finally {
    over.abort();
    await cutting;
  }
}

async function makeCallsUnderFaults(calls: number, load: Load, tools: FaultTools): Promise<void> {
  const over = new AbortController();
  const before = load.settled;
  const killing = killProcesses(tools, over.signal);
  const hurting = hurtOnce(tools, () => (load.settled - before) / calls);
  try {
    await load.run({ calls, isCalm: false, until: hurting });
    await hurting;
  } finally {
    over.abort();
    await killing;
  }
}
