import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { UsageError } from "@toolwire/protocol";
import type { Drain } from "../log/database-log.ts";
import type { Database, SqlValue } from "../log/database/database.ts";
import type { DrainProgress } from "../log/spool/spool-drain.ts";
import type { SpoolWriter } from "../log/spool/spool-writer.ts";
import { startThread } from "../start-thread.ts";
import { errorFrom, errorOf, type WorkerOptions, type WorkerReply, type WorkerRequest } from "./worker-messages.ts";

interface Pending {
  readonly request: WorkerRequest;
  resolve(rows: readonly object[]): void;
  reject(error: Error): void;
}

const CLOSE_TIMEOUT = 10_000;
const LONGEST_DELAY = 30_000;

/**
 * Runs the worker of the call log, and starts it again if it dies. Queries that were under way then fail; records do not,
 * because they are in the spool.
 */
export class WorkerHost implements Drain {
  readonly #options: WorkerOptions;
  readonly #writer: SpoolWriter;
  readonly #onWarning: (message: string) => void;
  readonly #startWorker: (options: WorkerOptions) => Worker;
  readonly #distant: Database | undefined;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #isReady = false;
  #isAwake = false;
  #isClosing = false;
  #failures = 0;
  #lastId = 0;
  #progress: DrainProgress = { segment: 0, lines: 0, written: 0, skipped: 0, isHealthy: true };
  /** Counts of workers that have died. */
  #written = 0;
  #skipped = 0;

  private constructor(
    options: WorkerOptions,
    writer: SpoolWriter,
    onWarning: (message: string) => void,
    startWorker: (options: WorkerOptions) => Worker,
    distant: Database | undefined,
  ) {
    this.#distant = distant;
    this.#options = options;
    this.#writer = writer;
    this.#onWarning = onWarning;
    this.#startWorker = startWorker;
  }

  /** Starts the worker. Resolves when its database is open and up to date. `distant` is the one of another process, for `parent`. */
  static async start(
    options: WorkerOptions,
    writer: SpoolWriter,
    onWarning: (message: string) => void,
    startWorker: (options: WorkerOptions) => Worker = startLogWorker,
    distant?: Database,
  ): Promise<WorkerHost> {
    const host = new WorkerHost(options, writer, onWarning, startWorker, distant);
    await host.#start();
    return host;
  }

  get progress(): DrainProgress {
    const { written, skipped } = this.#progress;
    return { ...this.#progress, written: this.#written + written, skipped: this.#skipped + skipped };
  }

  wake(): void {
    if (this.#isAwake || !this.#isReady) return;
    this.#isAwake = true;
    this.#worker?.postMessage({ type: "wake" } satisfies WorkerRequest, []);
  }

  async flush(): Promise<void> {
    await this.#ask((id) => ({ type: "flush", id }));
  }

  /** The database of the worker, if it is the embedded one. */
  get database(): Database {
    return {
      kind: this.#options.database.kind === "postgres" ? "postgres" : "pglite",
      query: async <Row extends object>(statement: string, values: readonly SqlValue[] = []) =>
        (await this.#ask((id) => ({ type: "query", id, statement, values }))) as readonly Row[],
      close: async () => {},
    };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = once(worker, "exit");
    worker.ref();
    worker.postMessage({ type: "close" } satisfies WorkerRequest, []);
    const timer = setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT);
    await exited;
    clearTimeout(timer);
  }

  #ask(makeRequest: (id: number) => WorkerRequest): Promise<readonly object[]> {
    if (this.#isClosing) return Promise.reject(new UsageError("INVALID_STATE", "The storage is closed."));
    this.#lastId += 1;
    const id = this.#lastId;
    const request = makeRequest(id);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { request, resolve, reject });
      // The worker alone does not keep the process alive, but somebody who waits for it does.
      if (this.#pending.size === 1) this.#worker?.ref();
      if (this.#isReady) this.#worker?.postMessage(request, []);
    });
  }

  #settle(id: number, settle: (pending: Pending) => void): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0 && this.#isReady) this.#worker?.unref();
    if (pending !== undefined) settle(pending);
  }

  async #start(): Promise<void> {
    const worker = this.#startWorker(this.#options);
    this.#worker = worker;
    await new Promise<void>((resolve, reject) => {
      let crash: Error | undefined;
      worker.on("message", (reply: WorkerReply) => {
        if (reply.type === "ready") {
          this.#ready();
          resolve();
        } else if (reply.type === "broken") {
          crash = errorFrom(reply.error);
          void worker.terminate();
        } else {
          this.#receive(reply);
        }
      });
      worker.on("error", (error) => (crash = error));
      worker.on("exit", () => {
        const error = crash ?? new Error("The thread of the call log has ended.");
        const wasReady = this.#isReady;
        this.#ended();
        if (wasReady || this.#failures > 0) this.#startAgain(error);
        reject(error);
      });
    });
  }

  #ready(): void {
    this.#isReady = true;
    this.#failures = 0;
    // It looks at the spool when it starts.
    this.#isAwake = true;
    for (const { request } of this.#pending.values()) this.#worker?.postMessage(request, []);
    if (this.#pending.size === 0) this.#worker?.unref();
  }

  #receive(reply: WorkerReply): void {
    switch (reply.type) {
      case "rows":
        this.#settle(reply.id, (pending) => pending.resolve(reply.rows));
        return;
      case "ask":
        void this.#askDistant(reply);
        return;
      case "flushed":
        this.#settle(reply.id, (pending) => pending.resolve([]));
        return;
      case "failed":
        this.#settle(reply.id, (pending) => pending.reject(errorFrom(reply.error)));
        return;
      case "progress":
        this.#progress = reply.progress;
        this.#writer.drained(reply.progress.segment, reply.progress.lines);
        return;
      case "idle":
        this.#isAwake = false;
        if (this.#writer.waiting > 0) this.wake();
        return;
      case "warning":
        this.#onWarning(reply.message);
        break;
      case "ready":
      case "broken":
    }
  }

  /** Asks another process for the worker. */
  async #askDistant({ id, statement, values }: Extract<WorkerReply, { readonly type: "ask" }>): Promise<void> {
    const worker = this.#worker;
    let answer: Omit<Extract<WorkerRequest, { readonly type: "answer" }>, "type" | "id">;
    try {
      answer = { rows: await this.#distant?.query(statement, values) };
    } catch (error) {
      answer = { error: errorOf(error) };
    }
    worker?.postMessage({ type: "answer", id, ...answer } satisfies WorkerRequest, []);
  }

  #ended(): void {
    this.#worker = undefined;
    this.#isReady = false;
    this.#isAwake = false;
    this.#written += this.#progress.written;
    this.#skipped += this.#progress.skipped;
    this.#progress = { ...this.#progress, written: 0, skipped: 0, isHealthy: false };
    for (const [id, pending] of this.#pending) {
      if (pending.request.type === "flush" && !this.#isClosing) continue;
      this.#pending.delete(id);
      pending.reject(new Error("The database has stopped. It is started again; try again."));
    }
  }

  #startAgain(error: Error): void {
    if (this.#isClosing) return;
    this.#failures += 1;
    this.#progress = { ...this.#progress, error: error.message };
    this.#onWarning(`The thread of the call log has ended and is started again: ${error.message}`);
    const wait = Math.min(LONGEST_DELAY, 250 * 2 ** this.#failures);
    setTimeout(() => {
      if (!this.#isClosing) this.#start().catch(() => undefined);
    }, wait).unref();
  }
}

/** Starts the thread of the call log. */
export function startLogWorker(options: WorkerOptions): Worker {
  return startThread("log-worker", import.meta.url, { workerData: options });
}
