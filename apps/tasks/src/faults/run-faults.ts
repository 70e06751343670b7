import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Caller, RefusedError } from "../callers/caller.ts";
import { openStore } from "../stores/open.ts";
import type { StartedStore } from "../stores/store.ts";
import { type Assignment, NOTES } from "../workers/assignment.ts";
import { WorkerProcess } from "../workers/worker-process.ts";
import { judge, type SeenEnd, type Verdict } from "./judge.ts";

/** Who goes on after a worker was killed: the same program, started again, or a second worker that has been there all the time. */
export const REMEDIES = ["restart", "second worker"] as const;
type Remedy = (typeof REMEDIES)[number];

/** One run. */
export interface FaultsPlan {
  readonly store: StartedStore;
  readonly remedy: Remedy;
  /** How many tasks there are. */
  readonly tasks: number;
  /** After which shares of them have ended a worker is killed. */
  readonly kills: readonly number[];
  readonly lease: number;
}

/** What a run has come to. */
export interface FaultsResult {
  readonly store: string;
  readonly remedy: Remedy;
  readonly kills: number;
  readonly seconds: number;
  /** Calls that were not answered, because the worker was killed, and were made again. */
  readonly unanswered: number;
  readonly verdict: Verdict;
}

/** How many clients there are, each of which has one task at a time, and how many of these a worker runs at the same time. */
const CLIENTS = 50;
const MAX_RUNNING = 16;
const PAUSE_MS = 100;
/** How long a whole run may take, in milliseconds. */
const DEADLINE_MS = 300_000;

/** The codes of answers that say that there is no such task. */
const NOT_FOUND = -32_602;

/** Makes tasks, kills workers in the middle of them, and accounts for every task. */
export async function runFaults({ store, remedy, tasks, kills, lease }: FaultsPlan): Promise<FaultsResult> {
  const directory = await mkdtemp(join(tmpdir(), "toolwire-workers-"));
  const journal = join(directory, "journal");
  const assignment: Assignment = {
    store: store.address,
    journal,
    lease,
    sweepInterval: 200,
    maxRunning: MAX_RUNNING,
    work: 20,
  };
  const start = (): Promise<WorkerProcess> => WorkerProcess.start(assignment);
  const workers = [await start()];
  const run = new Run(() => workers.map(({ url }) => url));
  const begun = performance.now();
  let died = 0;
  const note = (worker: WorkerProcess | undefined): void => void (died += worker?.hasEndedByItself === true ? 1 : 0);
  try {
    if (remedy === "second worker") workers.push(await start());
    const breaking = async (): Promise<void> => {
      for (const share of kills) {
        await run.until(async () => (await countEnded(journal)) >= share * tasks);
        // With a second worker, the one that is there goes on, and another one takes the place of the killed one.
        const [killed] = workers.splice(0, 1);
        note(killed);
        await killed?.kill();
        workers.push(await start());
      }
    };
    await Promise.all([run.doTasks(tasks), breaking()]);
    const open = await run.untilNoneIsOpen(store);
    await run.lookAgain();
    const seconds = Math.round((performance.now() - begun) / 1000);
    workers.forEach(note);
    await Promise.all(workers.map((worker) => worker.stop()));
    const lines = (await readFile(journal, "utf8")).split("\n");
    const verdict = judge({ tasks: run.tasks, journal: lines, open, died });
    return { store: store.title, remedy, kills: kills.length, seconds, unanswered: run.unanswered, verdict };
  } finally {
    run.stop();
    await Promise.all(workers.map((worker) => worker.kill()));
    await rm(directory, { recursive: true, force: true });
  }
}

/** How many calls have come to the end of their handler. */
async function countEnded(journal: string): Promise<number> {
  const lines = (await readFile(journal, "utf8")).split("\n");
  return new Set(lines.filter((line) => line.startsWith(NOTES.ended))).size;
}

/** The clients of one run, and what they have seen. */
class Run {
  readonly tasks = new Map<string, SeenEnd>();
  unanswered = 0;
  readonly #caller: Caller;
  readonly #deadline = performance.now() + DEADLINE_MS;
  #isOver = false;

  constructor(urls: () => readonly string[]) {
    this.#caller = new Caller(urls);
  }

  stop(): void {
    this.#isOver = true;
  }

  async until(isMet: () => Promise<boolean>): Promise<void> {
    while (!(await isMet())) {
      this.#expectTime();
      await delay(PAUSE_MS);
    }
  }

  /** Makes calls, and waits for the end of the task of each before the next one. */
  async doTasks(count: number): Promise<void> {
    const numbers = Array.from({ length: count }, (_, number) => number);
    await atOnce(numbers, async (number) => this.#waitFor(await this.#makeTask(number)));
  }

  /** Calls until there is a task whose id is known. */
  async #makeTask(number: number): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      const call = `${number}.${attempt}`;
      try {
        const id = await this.#caller.call("work", { call });
        this.tasks.set(id, { call, first: undefined, last: undefined });
        return id;
      } catch {
        this.unanswered += 1;
        this.#expectTime();
        await delay(PAUSE_MS);
      }
    }
  }

  /** Asks for a task until it has ended, or is said not to be there. */
  async #waitFor(id: string): Promise<void> {
    const call = this.tasks.get(id)?.call ?? "";
    for (;;) {
      const answer = await this.#look(id);
      if (answer?.hasEnded === true) this.tasks.set(id, { call, first: answer.text, last: undefined });
      else if (answer?.isRefused === true) this.tasks.set(id, { call, first: undefined, last: answer.text });
      if (!this.#isOpen(id)) return;
      this.#expectTime();
      await delay(PAUSE_MS);
    }
  }

  /** Waits until no task is open in the store. Those whose ids nobody has got end as well, a little later. */
  async untilNoneIsOpen(store: StartedStore): Promise<number> {
    const { store: opened, close } = await openStore(store.address);
    try {
      const most = performance.now() + 30_000;
      for (;;) {
        const { all } = await opened.count(null);
        if (all === 0 || performance.now() > most) return all;
        await delay(PAUSE_MS);
      }
    } finally {
      await close();
    }
  }

  /** Asks for every task once more. */
  async lookAgain(): Promise<void> {
    await atOnce([...this.tasks], async ([id, seen]) => {
      const answer = await this.#look(id);
      this.tasks.set(id, { ...seen, last: answer?.text ?? seen.last });
    });
  }

  #isOpen(id: string): boolean {
    const seen = this.tasks.get(id);
    return seen?.first === undefined && seen?.last === undefined;
  }

  /** `undefined` if no server has answered. */
  async #look(id: string): Promise<{ text: string; hasEnded: boolean; isRefused: boolean } | undefined> {
    try {
      const { pollIntervalMs: _interval, ...task } = await this.#caller.get(id);
      const hasEnded = ["completed", "failed", "cancelled"].includes(task.status);
      return { text: JSON.stringify(task), hasEnded, isRefused: false };
    } catch (error) {
      if (!(error instanceof RefusedError) || error.code !== NOT_FOUND) return undefined;
      return { text: JSON.stringify(error.message), hasEnded: false, isRefused: true };
    }
  }

  #expectTime(): void {
    if (this.#isOver) throw new Error("The run was given up.");
    if (performance.now() < this.#deadline) return;
    const open = [...this.tasks.keys()].filter((id) => this.#isOpen(id));
    throw new Error(
      `The run has taken too long: ${this.tasks.size} tasks were made, and ${open.length} have not ended.`,
    );
  }
}

/** Does something with each of a list, as many at the same time as there are clients. */
async function atOnce<T>(list: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const rest = list.values();
  const work = async (): Promise<void> => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
}
