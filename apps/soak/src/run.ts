import { readJournal } from "@toolwire/evidence/load";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Accountant, type Account } from "./accounts/accountant.ts";
import { Executions, laneOf } from "./accounts/executions.ts";
import { CellRig } from "./cell-rig.ts";
import type { Request } from "./command-line.ts";
import { planFaults } from "./faults/plan-faults.ts";
import { PLENTY_MS } from "./load/call-kinds.ts";
import { measureHeap } from "./load/heap.ts";
import { countResources, findLeftovers } from "./load/leftovers.ts";
import { Heartbeat } from "./load/heartbeat.ts";
import { Lane } from "./load/lane.ts";
import { Ledger, readLedger } from "./load/ledger.ts";

/** How a run went. */
export interface RunResult {
  readonly accounts: readonly Account[];
  /** Rejections that nobody handled, and exceptions that nobody caught. */
  readonly unhandled: readonly string[];
  /** The handles that still keep the process alive when all is closed: sockets, timers, pipes. */
  readonly leftovers: readonly string[];
  /** Bytes of the load's heap after the warm-up and at the end. */
  readonly heap: readonly [warm: number, final: number];
  /** Warnings of clients, by the code of their error. */
  readonly warnings: ReadonlyMap<string, number>;
}

/** How many lanes of mixed calls each client has. Another one insists on its calls. */
const MIXED_LANES = 4;

/** How long compilers and caches get until the heap is measured for the first time. */
const WARM_UP_MS = 10_000;

/** How often the run tells how it is going. */
const PROGRESS_MS = 5000;

/** How much longer than any call may take the run waits for the last of them. */
const DRAIN_MS = PLENTY_MS + 10_000;

/** Runs all cells at the same time, and accounts for everything afterwards. `directory` is emptied first. */
export async function runSoak(request: Request, directory: string, tell: (line: string) => void): Promise<RunResult> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const { seed, cells } = request;
  const unhandled: string[] = [];
  const note = (error: unknown): unknown => unhandled.push(error instanceof Error ? `${error.stack}` : String(error));
  process.on("unhandledRejection", note).on("uncaughtException", note);
  const ledgerPath = join(directory, "ledger.jsonl");
  const ledger = new Ledger(ledgerPath);
  const rigs = cells.map((cell, index) => new CellRig(cell, index, { directory, seed, ledger }));
  const before = countResources();
  const heartbeat = new Heartbeat();
  try {
    await Promise.all(rigs.map((rig) => rig.start()));
    const lanes = openLanes(rigs, heartbeat);
    const heap = await makeCalls(request, rigs, lanes, ledger, tell);
    await Promise.all(rigs.map((rig) => rig.close()));
    ledger.flush();
    const made = new Map([...lanes].map(([key, lane]) => [key, lane.made]));
    const warnings = sumWarnings(rigs);
    await heartbeat.stop();
    const leftovers = await findLeftovers(before);
    return { accounts: await account(rigs, ledger, ledgerPath, made), unhandled, leftovers, heap, warnings };
  } finally {
    await heartbeat.stop();
    await Promise.all(rigs.map((rig) => rig.abandon()));
    process.off("unhandledRejection", note).off("uncaughtException", note);
  }
}

function openLanes(rigs: readonly CellRig[], heartbeat: Heartbeat): ReadonlyMap<string, Lane> {
  const lanes = new Map<string, Lane>();
  for (const { index: cell, clients } of rigs) {
    for (const [client, each] of clients.entries()) {
      for (let lane = 0; lane <= MIXED_LANES; lane++) {
        lanes.set(laneOf({ cell, client, lane }), new Lane(each, lane, heartbeat));
      }
    }
  }
  return lanes;
}

/** Makes calls while the planned faults happen. Returns the size of the heap after the warm-up and at the end. */
async function makeCalls(
  { seconds, seed }: Request,
  rigs: readonly CellRig[],
  lanes: ReadonlyMap<string, Lane>,
  ledger: Ledger,
  tell: (line: string) => void,
): Promise<readonly [number, number]> {
  const runMs = seconds * 1000;
  const start = performance.now();
  const over = new AbortController();
  const calls = [...lanes].map(([key, lane]) =>
    key.endsWith(`.${MIXED_LANES}`) ? lane.insist(over.signal) : lane.mix(over.signal),
  );
  const faults = Promise.all(rigs.map((rig) => rig.injectAll(planFaults(seed, rig.cell), over.signal)));
  const progress = setInterval(() => tell(describeProgress(start, ledger)), PROGRESS_MS);
  try {
    const warmUpMs = Math.min(WARM_UP_MS, runMs / 2);
    // Faults end when all is over, or when a server cannot be started.
    await Promise.race([delay(warmUpMs), faults]);
    const warm = measureHeap();
    await Promise.race([delay(runMs - warmUpMs), faults]);
    over.abort();
    await faults;
    await Promise.race([Promise.all(calls), delay(DRAIN_MS, undefined, { ref: false })]);
    ledger.endCalls();
    return [warm, measureHeap()];
  } finally {
    over.abort();
    clearInterval(progress);
  }
}

function describeProgress(start: number, { settled, answered, faults, sightings }: Ledger): string {
  const seconds = Math.round((performance.now() - start) / 1000);
  const problems = sightings === 0 ? "" : `, ${sightings} problems seen`;
  return `${seconds} s: ${settled} calls, ${answered} answered, ${faults.length} faults${problems}`;
}

async function account(
  rigs: readonly CellRig[],
  ledger: Ledger,
  ledgerPath: string,
  made: ReadonlyMap<string, number>,
): Promise<readonly Account[]> {
  const executions = new Executions();
  const accountant = new Accountant({ cells: rigs.map(({ cell }) => cell), faults: ledger.faults, executions });
  for (const { index, journal } of rigs) {
    const { executed, complaints } = readJournal(journal);
    for (const id of executed) executions.add(id);
    for (const complaint of complaints) accountant.note(index, "server-survives", complaint);
  }
  for await (const entry of readLedger(ledgerPath)) {
    if ("call" in entry) accountant.add(entry.call);
    else if ("sighting" in entry) accountant.note(entry.sighting.cell, entry.sighting.promise, entry.sighting.example);
  }
  return accountant.finish(made);
}

function sumWarnings(rigs: readonly CellRig[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { warnings } of rigs.flatMap(({ clients }) => clients)) {
    for (const [code, count] of warnings) sums.set(code, (sums.get(code) ?? 0) + count);
  }
  return sums;
}
