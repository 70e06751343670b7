import { findPort } from "@toolwire/engines";
import type { Random } from "@toolwire/evidence/load";
import { EventEmitter, once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { EngineAddress } from "../engines/engine.ts";
import { within, type Fleet, type FleetOptions } from "./fleet.ts";
import { ServerProcess, type Ended } from "./server-process.ts";
import { LINES, NOT_JOINED } from "./task.ts";

/** How long a process that could not join its engine waits until it is started again. */
const RESTART_MS = 250;

/** One machine: a port, and the process that has it now. */
interface Machine {
  readonly port: number;
  process: ServerProcess | undefined;
  /** Whether its process serves, and nothing was done to it. */
  isServing: boolean;
  /** Whether its process is to end, and for good or for another one. */
  isEnding: boolean;
}

/** Machines that meet in an engine, each with one process. */
export class NodeFleet implements Fleet {
  readonly complaints: string[] = [];
  readonly #engine: EngineAddress;
  readonly #options: FleetOptions;
  readonly #events = new EventEmitter().setMaxListeners(0);
  #machines: readonly Machine[] = [];
  #isClosing = false;

  constructor(engine: EngineAddress, options: FleetOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  get ports(): readonly number[] {
    return this.#machines.map(({ port }) => port);
  }

  async start(): Promise<void> {
    const ports = new Set<number>();
    while (ports.size < this.#options.count) ports.add(await findPort());
    this.#machines = Array.from(ports, (port) => ({ port, process: undefined, isServing: false, isEnding: false }));
    for (const machine of this.#machines) this.#run(machine);
    await this.untilAllServe();
  }

  kill(random: Random): boolean {
    const machine = this.#choose(random);
    if (machine === undefined) return false;
    machine.isServing = false;
    machine.process?.signal("SIGKILL");
    return true;
  }

  async pause(random: Random, ms: number): Promise<boolean> {
    const machine = this.#choose(random);
    if (machine === undefined) return false;
    machine.isServing = false;
    machine.process?.signal("SIGSTOP");
    await delay(ms);
    machine.process?.signal("SIGCONT");
    machine.isServing = true;
    return true;
  }

  async untilAllServe(): Promise<void> {
    const waiting = new AbortController();
    const all = async (): Promise<void> => {
      while (this.#machines.some(({ isServing }) => !isServing)) {
        await once(this.#events, "serving", { signal: waiting.signal });
      }
    };
    try {
      await within("Starting all machines", all());
    } finally {
      waiting.abort();
    }
  }

  async replaceAll(): Promise<number> {
    for (const machine of this.#machines) {
      const old = machine.process!;
      machine.isServing = false;
      machine.isEnding = true;
      old.signal("SIGTERM");
      const ended = await within(`Draining the machine at port ${machine.port}`, old.ended);
      if (ended.code !== 0) this.complaints.push(`SIGTERM: ${describe(ended)}`);
      machine.isEnding = false;
      this.#run(machine);
      await this.untilAllServe();
      await within("Becoming ready", this.#options.untilReady(machine.port));
    }
    return this.#machines.length;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#machines.map(async ({ process }) => process?.abandon()));
  }

  /** One that serves, if there is another one for its clients. */
  #choose(random: Random): Machine | undefined {
    const serving = this.#machines.filter(({ isServing }) => isServing);
    return serving.length < 2 ? undefined : serving[random.between(0, serving.length - 1)];
  }

  #run(machine: Machine): void {
    const { journal, mark } = this.#options;
    const task = { engine: this.#engine, port: machine.port, journal, workers: 0 };
    const process = new ServerProcess(task, mark, (line) => {
      if (!line.startsWith(LINES.serving)) return;
      machine.isServing = true;
      this.#events.emit("serving");
    });
    machine.process = process;
    void process.ended.then(async (ended) => {
      machine.isServing = false;
      if (this.#isClosing || machine.isEnding) return;
      if (ended.signal !== "SIGKILL" && ended.code !== NOT_JOINED) this.complaints.push(describe(ended));
      if (ended.code === NOT_JOINED) await delay(RESTART_MS);
      if (!this.#isClosing) this.#run(machine);
    });
  }
}

function describe({ code, signal, stderr }: Ended): string {
  return `A machine ended by itself with ${String(signal ?? code)}. ${stderr}`;
}
