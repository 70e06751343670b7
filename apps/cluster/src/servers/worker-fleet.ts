import { findPort } from "@toolwire/engines";
import type { Random } from "@toolwire/evidence/load";
import { EventEmitter, once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { within, type Fleet, type FleetOptions } from "./fleet.ts";
import { ServerProcess } from "./server-process.ts";
import { LINES } from "./task.ts";

/** The workers of one program. They are replaced by the program itself. */
export class WorkerFleet implements Fleet {
  readonly complaints: string[] = [];
  readonly #options: FleetOptions;
  readonly #events = new EventEmitter().setMaxListeners(0);
  /** The processes that serve, and to which nothing was done. */
  readonly #serving = new Set<number>();
  #program: ServerProcess | undefined;
  #port = 0;
  #isClosing = false;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  get ports(): readonly number[] {
    return [this.#port];
  }

  async start(): Promise<void> {
    const { journal, mark, count } = this.#options;
    this.#port = await findPort();
    const task = { engine: { name: "workers" }, port: this.#port, journal, workers: count } as const;
    this.#program = new ServerProcess(task, mark, (line) => this.#hear(line));
    void this.#program.ended.then(({ code, signal, stderr }) => {
      if (!this.#isClosing) this.complaints.push(`The first process ended with ${String(signal ?? code)}. ${stderr}`);
    });
    await this.untilAllServe();
  }

  kill(random: Random): boolean {
    const pid = this.#choose(random);
    if (pid === undefined) return false;
    this.#serving.delete(pid);
    process.kill(pid, "SIGKILL");
    return true;
  }

  async pause(random: Random, ms: number): Promise<boolean> {
    const pid = this.#choose(random);
    if (pid === undefined) return false;
    this.#serving.delete(pid);
    process.kill(pid, "SIGSTOP");
    await delay(ms);
    process.kill(pid, "SIGCONT");
    this.#serving.add(pid);
    this.#events.emit("line");
    return true;
  }

  async untilAllServe(): Promise<void> {
    await this.#hears("Starting all workers", () => this.#alive().length >= this.#options.count);
  }

  async replaceAll(): Promise<number> {
    const old = this.#alive();
    let isReloaded = false;
    this.#events.once(LINES.reloaded, () => {
      isReloaded = true;
    });
    this.#program!.signal("SIGHUP");
    await this.#hears("Replacing all workers", () => isReloaded);
    for (const pid of old) this.#serving.delete(pid);
    return old.length;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#program?.abandon();
  }

  #hear(line: string): void {
    if (line.startsWith(LINES.serving)) this.#serving.add(Number(line.slice(LINES.serving.length)));
    else if (line === LINES.reloaded) this.#events.emit(LINES.reloaded);
    this.#events.emit("line");
  }

  async #hears(what: string, isSo: () => boolean): Promise<void> {
    const waiting = new AbortController();
    const wait = async (): Promise<void> => {
      while (!isSo()) await once(this.#events, "line", { signal: waiting.signal });
    };
    try {
      await within(what, wait());
    } finally {
      waiting.abort();
    }
  }

  #alive(): readonly number[] {
    return [...this.#serving].filter(isRunning);
  }

  #choose(random: Random): number | undefined {
    const alive = this.#alive();
    return alive.length < 2 ? undefined : alive[random.between(0, alive.length - 1)];
  }
}

/** Whether a process still runs. Its id is not used again within a run. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
