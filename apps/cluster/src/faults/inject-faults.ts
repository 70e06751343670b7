import type { Random } from "@toolwire/evidence/load";
import { setTimeout as delay } from "node:timers/promises";
import type { Balancer } from "../balancer/balancer.ts";
import type { EngineFaults } from "../engines/engine.ts";
import type { Fleet } from "../servers/fleet.ts";

/** How often a process is killed, and how often a stream is cut. */
const KILL_MS = 1000;
const CUT_MS = 100;

/** How long a process is stopped, and how long the engine is cut off. */
const PAUSE_MS = 3000;
const CUT_OFF_MS = 4000;

/** How often it is looked whether the time of the next fault has come. */
const LOOK_MS = 50;

/** How often a fault is tried again that finds no second process that serves. */
const MAX_TRIES = 600;

/** What has happened. */
export interface FaultCounts {
  kills: number;
  pauses: number;
  cuts: number;
  engineRestarts: number;
  engineCutOffs: number;
}

/** What faults are made with. */
export interface FaultTools {
  readonly fleet: Fleet;
  readonly engine: EngineFaults | undefined;
  readonly balancer: Balancer;
  readonly random: Random;
  readonly counts: FaultCounts;
  readonly tell: (line: string) => void;
}

/** Cuts a stream again and again, until the signal aborts. */
export async function cutStreams({ balancer, counts }: FaultTools, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    if (balancer.cutOne()) counts.cuts += 1;
    await pause(CUT_MS, over);
  }
}

/** Kills a process again and again, until the signal aborts. */
export async function killProcesses({ fleet, random, counts }: FaultTools, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await pause(KILL_MS, over);
    if (!over.aborted && fleet.kill(random)) counts.kills += 1;
  }
}

/**
 * What happens once, when a part of the calls has settled: a process is stopped and goes on, the engine is restarted, the engine is
 * cut off. `progress` is the part.
 */
export async function hurtOnce(tools: FaultTools, progress: () => number): Promise<void> {
  const { engine, counts, tell } = tools;
  const steps: readonly (() => Promise<void>)[] = [
    async () => {
      tell("A process is stopped for a while.");
      await pauseOne(tools);
      counts.pauses += 1;
    },
    ...(engine === undefined
      ? []
      : [
          async () => {
            tell("The engine is restarted.");
            await engine.restart();
            counts.engineRestarts += 1;
          },
          async () => {
            tell("The engine is cut off for a while.");
            await engine.cutOff(CUT_OFF_MS);
            counts.engineCutOffs += 1;
          },
        ]),
  ];
  for (const [index, step] of steps.entries()) {
    while (progress() < (index + 1) / (steps.length + 1)) await delay(LOOK_MS);
    await step();
  }
}

async function pauseOne({ fleet, random }: FaultTools): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (await fleet.pause(random, PAUSE_MS)) return;
    await delay(LOOK_MS);
  }
  throw new Error("There were never two processes that serve, so none could be stopped.");
}

async function pause(ms: number, over: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: over }).catch(() => undefined);
}
