import type { Socket } from "node:net";
import type { ServerBinding } from "../../../../binding.ts";
import { createMemoryEngine, type MemoryEngine } from "../../../../cluster/memory/engine.ts";
import type { FromPrimary } from "./messages.ts";
import { WorkerProcess, type WorkerSurroundings } from "./worker-process.ts";

/** How many connections may wait while no worker serves. */
const MAX_WAITING = 1024;

/** Milliseconds until a worker is replaced that has ended soon again and again: the first, which doubles, and the longest. */
const FIRST_DELAY = 100;
const LONGEST_DELAY = 10_000;

/** How many milliseconds a worker has to serve so that its end is no reason to wait before the next one. */
const LONG_LIFE = 1000;

/** How many milliseconds the clients of a worker that is replaced have to send requests on connections that they have. */
const HANDOVER_MS = 1000;

/** Where a pool listens, and how many milliseconds its workers may take to close. */
export interface PoolSettings {
  readonly count: number;
  readonly host: string;
  readonly port: number;
  readonly closeTimeout: number;
  /** Called when the pool closes, and no client has to connect any more. */
  stopped(): void;
}

/** The program that workers are started for. */
export interface PoolProgram extends Pick<ServerBinding, "diagnose"> {
  /** Takes a message that the program has sent from a worker. `reply` sends one back. */
  message?(message: object, worker: number, reply: (message: object) => void): void;
  /** A worker has ended. */
  ended?(worker: number): void;
}

/** Keeps workers running, and hands connections to them. */
export class WorkerPool {
  readonly #program: PoolProgram;
  readonly #settings: PoolSettings;
  readonly #engine: MemoryEngine = createMemoryEngine();
  /** Those that were handed a connection longest ago come first. */
  #workers: WorkerProcess[] = [];
  /** Connections for the next worker that serves. */
  readonly #waiting: Socket[] = [];
  readonly #restarts = new Set<ReturnType<typeof setTimeout>>();
  /** How many workers have ended soon, one after the other. */
  #failures = 0;
  #isClosing = false;
  #reloading: Promise<void> | undefined;

  constructor(program: PoolProgram, settings: PoolSettings) {
    this.#program = program;
    this.#settings = settings;
  }

  get isReady(): boolean {
    return !this.#isClosing && this.#workers.some(({ isAccepting }) => isAccepting);
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Starts all workers. If one of them fails, all end. */
  async start(): Promise<void> {
    const workers = Array.from({ length: this.#settings.count }, () => this.#add());
    try {
      await Promise.all(workers.map(({ ready }) => ready));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Hands a connection, of which nothing was read, to the worker with the fewest that are on their way to it. */
  take(socket: Socket): void {
    const accepting = this.#workers.filter(({ isAccepting }) => isAccepting);
    const [first, ...others] = accepting;
    if (first === undefined) {
      if (this.#waiting.length >= MAX_WAITING || this.#isClosing) socket.destroy();
      else this.#waiting.push(socket);
      return;
    }
    const least = others.reduce((best, worker) => (worker.handed.size < best.handed.size ? worker : best), first);
    this.#workers = [...this.#workers.filter((worker) => worker !== least), least];
    least.hand(socket);
  }

  /** Sends a message of the program to all workers. */
  broadcast(message: object): void {
    for (const worker of this.#workers) worker.tell(message);
  }

  /** Replaces each worker by a new one. */
  reload(): Promise<void> {
    this.#reloading ??= this.#replaceAll().finally(() => (this.#reloading = undefined));
    return this.#reloading;
  }

  /** Ends all workers, and waits for that. With `wait`, they serve on for so many milliseconds. */
  async close(wait?: number): Promise<void> {
    this.#isClosing = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    const message: FromPrimary = wait === undefined ? { primary: "close" } : { primary: "drain", wait };
    await Promise.all(this.#workers.map((worker) => this.#end(worker, message, wait)));
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }

  #end(worker: WorkerProcess, message: FromPrimary, wait = 0): Promise<void> {
    // A worker that does not serve yet has nothing to close.
    if (worker.since === undefined) worker.kill("SIGKILL");
    return worker.end(message, wait + this.#settings.closeTimeout);
  }

  async #replaceAll(): Promise<void> {
    const olds = this.#workers;
    for (const old of olds) {
      if (this.#isClosing) return;
      if (old.isLeaving || !this.#workers.includes(old)) continue;
      await this.#add().ready;
      old.isAccepting = false;
      await this.#end(old, { primary: "drain", wait: HANDOVER_MS }, HANDOVER_MS);
    }
  }

  #add(): WorkerProcess {
    const { host, port } = this.#settings;
    const around: WorkerSurroundings = {
      engine: this.#engine,
      host,
      port,
      changed: () => this.#changed(),
      slot: this.#freeSlot(),
      returned: (socket) => this.take(socket),
      message: (message, from) => this.#program.message?.(message, from.slot, (reply) => from.tell(reply)),
      ended: (worker, how) => this.#ended(worker, how),
    };
    const worker = new WorkerProcess(around);
    this.#workers.unshift(worker);
    return worker;
  }

  /** Workers have begun to take connections, or do not any more. */
  #changed(): void {
    const isAccepting = this.#workers.some((worker) => worker.isAccepting);
    if (!isAccepting && this.#isClosing) this.#settings.stopped();
    if (isAccepting) for (const socket of this.#waiting.splice(0)) this.take(socket);
  }

  /** The lowest number that no worker has. */
  #freeSlot(): number {
    const taken = new Set(this.#workers.map(({ slot }) => slot));
    let slot = 1;
    while (taken.has(slot)) slot += 1;
    return slot;
  }

  #ended(worker: WorkerProcess, how: string): void {
    this.#workers = this.#workers.filter((each) => each !== worker);
    this.#program.ended?.(worker.slot);
    if (this.#isClosing || this.#isComplete) return;
    if (worker.isLeaving) return this.#restart(0);
    const lifetime = worker.since === undefined ? 0 : performance.now() - worker.since;
    this.#failures = lifetime >= LONG_LIFE ? 0 : this.#failures + 1;
    const delay = this.#failures <= 1 ? 0 : Math.min(FIRST_DELAY * 2 ** (this.#failures - 2), LONGEST_DELAY);
    const then = delay === 0 ? "Another one is started." : `Another one is started in ${delay} milliseconds.`;
    this.#program.diagnose({ level: "error", message: `A worker (process ${worker.pid}) has ended ${how}. ${then}` });
    this.#restart(delay);
  }

  /** Whether there are as many workers as wanted, also if some of them do not serve yet. */
  get #isComplete(): boolean {
    return this.#workers.filter(({ isLeaving }) => !isLeaving).length >= this.#settings.count;
  }

  #restart(delay: number): void {
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      if (this.#isClosing || this.#isComplete) return;
      this.#add().ready.catch((error: unknown) => {
        if (this.#isClosing || !(error instanceof Error)) return;
        this.#program.diagnose({ level: "error", message: error.message, error });
      });
    }, delay);
    this.#restarts.add(timer);
  }
}
