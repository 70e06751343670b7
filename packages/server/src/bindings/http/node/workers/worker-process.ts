import { TransportError } from "@toolwire/protocol";
import { LONGEST_TIMER } from "@toolwire/protocol/internal";
import cluster, { type Worker } from "node:cluster";
import type { Socket } from "node:net";
import type { MemoryEngine } from "../../../../cluster/memory/engine.ts";
import { EngineEnd } from "../../../../cluster/workers/engine-end.ts";
import { readFromWorker, type FromPrimary } from "./messages.ts";
import { WORKER_VARIABLE } from "./settings.ts";

/** How many milliseconds a worker may take to serve, and to exit when it has closed everything. */
const START_MS = 60_000;
const EXIT_MS = 1000;

/** What a worker needs of the process that starts it. */
export interface WorkerSurroundings {
  readonly engine: MemoryEngine;
  readonly host: string;
  readonly port: number;
  /** Counts the workers from 1. */
  readonly slot: number;
  /** A message that the program has sent in the worker. */
  message(message: object, from: WorkerProcess): void;
  /** The worker takes connections from now on, or no more. */
  changed(): void;
  /** A connection that was handed to the worker, and that the worker has not read. */
  returned(socket: Socket): void;
  /** The process has ended. */
  ended(worker: WorkerProcess, how: string): void;
}

/** A worker, as the process sees it that has started it. */
export class WorkerProcess {
  /** Resolves once it serves. Rejects if it ends before, or takes too long. */
  readonly ready: Promise<void>;
  /** Whether it is to be given connections. */
  isAccepting = false;
  /** Whether it was told to end, or ends because its own program wants it to. */
  isLeaving = false;
  /** When it began to serve. */
  since: number | undefined;
  /** Connections that it was handed and has not taken yet. */
  readonly handed: Map<number, Socket> = new Map<number, Socket>();
  readonly #worker: Worker;
  readonly #around: WorkerSurroundings;
  #end: EngineEnd | undefined;
  #lastId = 0;
  readonly #disconnected: Promise<void>;
  readonly #exited: Promise<void>;
  #ending: Promise<void> | undefined;

  constructor(around: WorkerSurroundings) {
    this.#around = around;
    const worker = cluster.fork({ [WORKER_VARIABLE]: String(around.slot) });
    this.#worker = worker;
    this.ready = this.#whenReady();
    // Whoever starts workers waits for this, unless it is closing.
    this.ready.catch(() => {});
    worker.on("message", (message: unknown) => this.#receive(message));
    // A message that cannot be sent: the worker is ending, which is noticed below.
    worker.on("error", () => {});
    this.#disconnected = new Promise((resolve) => {
      // By then, everything was read that the worker has sent.
      worker.once("disconnect", () => {
        this.#leave();
        resolve();
      });
    });
    this.#exited = new Promise((resolve) => {
      worker.once("exit", (code: number | null, signal: string | null) => {
        if (!worker.isConnected()) this.#leave();
        resolve();
        around.ended(this, signal === null ? `with code ${code}` : `by ${signal}`);
      });
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  get slot(): number {
    return this.#around.slot;
  }

  /** Sends a message of the program. */
  tell(message: object): void {
    if (this.#worker.isConnected()) this.#worker.send(message, undefined, () => {});
  }

  /** Hands a connection over, of which nothing was read. It stays open here until the worker has it. */
  hand(socket: Socket): void {
    this.#lastId += 1;
    const id = this.#lastId;
    this.handed.set(id, socket);
    this.#worker.send({ primary: "connection", id } satisfies FromPrimary, socket, { keepOpen: true }, (error) => {
      if (error !== null) this.#giveBack(id);
    });
  }

  /** Tells the worker to end, waits for that, and makes sure of it. `within` is how many milliseconds it may take. */
  end(message: FromPrimary, within: number): Promise<void> {
    this.isLeaving = true;
    this.#post(message);
    return (this.#ending ??= this.#whenEnded(within));
  }

  kill(signal: NodeJS.Signals): void {
    this.#worker.process.kill(signal);
  }

  async #whenEnded(within: number): Promise<void> {
    await settleWithin(this.#disconnected, within + EXIT_MS);
    if (await settleWithin(this.#exited, EXIT_MS)) return;
    // Something of the program keeps the process alive, such as a pool of connections.
    this.kill("SIGTERM");
    if (await settleWithin(this.#exited, within)) return;
    this.kill("SIGKILL");
    await this.#exited;
  }

  #whenReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (problem: string): void => {
        clearTimeout(timer);
        reject(new TransportError("CONNECT_FAILED", `A worker could not start: ${problem}`));
      };
      const timer = setTimeout(() => {
        fail(
          `it has not called serveHttp with \`workers\` within ${START_MS / 1000} seconds. Each worker runs the main file of the program.`,
        );
        this.kill("SIGKILL");
      }, START_MS);
      this.#worker.on("message", (message: unknown) => {
        const read = readFromWorker(message);
        if (read?.worker === "failed") fail(read.message);
        if (read?.worker !== "ready") return;
        clearTimeout(timer);
        resolve();
      });
      this.#worker.once("exit", (code: number | null, signal: string | null) => {
        fail(`it ended ${signal === null ? `with code ${code}` : `by ${signal}`}. What it has written says why.`);
      });
    });
  }

  #receive(message: unknown): void {
    const read = readFromWorker(message);
    if (read === undefined) {
      if (typeof message !== "object" || message === null) return;
      if (this.#end?.receive(message) !== true) this.#around.message(message, this);
      return;
    }
    if (read.worker === "hello") return this.#welcome();
    if (read.worker === "taken") {
      this.handed.get(read.id)?.destroy();
      this.handed.delete(read.id);
    } else if (read.worker === "refused") {
      this.#giveBack(read.id);
    } else {
      if (read.worker === "ready") this.since = performance.now();
      if (read.worker === "leaving") this.isLeaving = true;
      this.isAccepting = read.worker === "ready";
      this.#around.changed();
    }
  }

  #welcome(): void {
    if (this.#end !== undefined) return this.#post({ primary: "known" });
    const { engine, host, port } = this.#around;
    const node = engine.connect();
    this.#post({ primary: "welcome", node: node.node, host, port });
    this.#end = new EngineEnd(node, (message, sent) => {
      if (!this.#worker.isConnected()) return;
      this.#worker.send(message, undefined, sent);
    });
  }

  /** The worker has ended, or has let go of this process. */
  #leave(): void {
    this.isAccepting = false;
    void this.#end?.close();
    for (const id of this.handed.keys()) this.#giveBack(id);
    this.#around.changed();
  }

  #giveBack(id: number): void {
    const socket = this.handed.get(id);
    this.handed.delete(id);
    if (socket !== undefined) this.#around.returned(socket);
  }

  #post(message: FromPrimary): void {
    if (this.#worker.isConnected()) this.#worker.send(message, undefined, () => {});
  }
}

/** Waits for a promise, but not for ever. Returns whether it has settled. */
async function settleWithin(pending: Promise<void>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(ms, LONGEST_TIMER));
  });
  const isSettled = await Promise.race([pending.then(() => true), late]);
  clearTimeout(timer);
  return isSettled;
}
