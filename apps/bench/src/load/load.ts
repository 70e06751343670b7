/** The parts that all load generators share, whatever they speak. */
import { setTimeout as wait } from "node:timers/promises";
import { checkAnswer, type Expectation } from "../workload/answers.ts";

/** Keeps a number of calls in flight against one server. */
export interface Load {
  /** Opens what has to be open and sends the first calls; every answer is reported and followed by another call. */
  start(onAnswer: () => void): Promise<void>;
  /** Sends nothing more and resolves when all open calls are answered. What is open stays open for the next start. */
  drain(): Promise<void>;
  /** Closes what it has opened. */
  close(): void;
}

/** Calls per second, and the figures it was computed from. */
export interface Throughput {
  readonly calls: number;
  readonly ms: number;
}

/** The same of a load, whose calls before and after that time are counted, too. */
export interface LoadThroughput extends Throughput {
  readonly all: number;
}

/** How long to let a load run before counting, and how long to count. */
export interface Window {
  readonly settleMs: number;
  readonly ms: number;
}

/** A server that has not answered all open calls by then is broken. */
const DRAIN_LIMIT_MS = 20_000;

/**
 * A window with fewer answers than that is made longer, up to so many times as long: chance would decide how many fall
 * into a short one.
 */
export const FEWEST_ANSWERS = 20;
export const MOST_STEPS = 5;

/** Runs a load and counts its answers. */
export async function measureLoad(load: Load, { settleMs, ms }: Window): Promise<LoadThroughput> {
  let answers = 0;
  await load.start(() => answers++);
  await wait(settleMs);
  const before = answers;
  const start = performance.now();
  for (let step = 0; step < MOST_STEPS; step++) {
    await wait(ms);
    if (answers - before >= FEWEST_ANSWERS) break;
  }
  const counted = { calls: answers - before, ms: performance.now() - start };
  const limit = new AbortController();
  const drained = await Promise.race([
    load.drain().then(() => true),
    wait(DRAIN_LIMIT_MS, false, { signal: limit.signal }),
  ]);
  limit.abort();
  if (!drained) throw new Error(`Calls were still unanswered after ${DRAIN_LIMIT_MS / 1000} s.`);
  return { ...counted, all: answers };
}

/** Picks every so many answers to be checked in full; checking all of them would slow the load down. */
export class Sampling {
  static readonly #INTERVAL = 101;
  readonly #check: (message: string) => void;
  #untilNext = Sampling.#INTERVAL;

  constructor(expectation: Expectation | ((message: string) => void)) {
    this.#check = typeof expectation === "function" ? expectation : (message) => void checkAnswer(message, expectation);
  }

  /** Whether this answer is one of those to be checked; counts it. */
  isDue(): boolean {
    if (--this.#untilNext > 0) return false;
    this.#untilNext = Sampling.#INTERVAL;
    return true;
  }

  check(message: string): void {
    this.#check(message);
  }
}
