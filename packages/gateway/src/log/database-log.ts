import type { Redactor } from "../secrets/redactor.ts";
import type { CallLog, LogNews, LogStatus } from "./call-log.ts";
import type { CallRecord } from "./call-record.ts";
import { CallQueries } from "./database/call-queries.ts";
import type { Database } from "./database/database.ts";
import { Followers } from "./followers.ts";
import { redactRecord } from "./redact-record.ts";
import type { DrainProgress } from "./spool/spool-drain.ts";
import type { SpoolWriter } from "./spool/spool-writer.ts";
import { WorkerStates } from "./worker-states.ts";

/** Empties the spool into the database: in a worker, or in tests in the same thread. */
export interface Drain {
  readonly progress: DrainProgress;
  /** There is something in the spool. */
  wake(): void;
  flush(): Promise<void>;
}

/** A spool with its drain. */
export interface Spool {
  readonly writer: SpoolWriter;
  readonly drain: Drain;
}

const CLOSE_TIMEOUT = 5000;

/** The call log in a database, behind a spool. Without a spool, as in commands that only read, no records are taken. */
export class DatabaseLog implements CallLog {
  readonly #store: "pglite" | "postgres";
  readonly #redactor: Redactor;
  readonly #spool: Spool | undefined;
  readonly #followers = new Followers();
  readonly #workers = new WorkerStates();
  #refused = 0;
  #isClosed = false;

  readonly totals: CallLog["totals"];
  readonly series: CallLog["series"];
  readonly tools: CallLog["tools"];
  readonly clients: CallLog["clients"];
  readonly calls: CallLog["calls"];
  readonly call: CallLog["call"];
  readonly export: CallLog["export"];

  constructor(database: Database, redactor: Redactor, spool: Spool | undefined, now: () => number = Date.now) {
    this.#store = database.kind;
    this.#redactor = redactor;
    this.#spool = spool;
    const queries = new CallQueries(database, now);
    this.totals = (range, filter) => queries.totals(range, filter);
    this.series = (range, step, filter) => queries.series(range, step, filter);
    this.tools = (range, options) => queries.tools(range, options);
    this.clients = (range, limit) => queries.clients(range, limit);
    this.calls = (range, options) => queries.calls(range, options);
    this.call = (id) => queries.call(id);
    this.export = (range, filter) => queries.export(range, filter);
  }

  add(record: CallRecord): void {
    if (this.#spool === undefined || this.#isClosed) {
      this.#refused += 1;
      return;
    }
    const redacted = redactRecord(record, this.#redactor);
    this.#spool.writer.append(redacted);
    this.#spool.drain.wake();
    this.#followers.tell(redacted);
  }

  async flush(): Promise<void> {
    await this.#spool?.drain.flush();
  }

  follow(listener: (record: CallRecord) => void): () => void {
    return this.#followers.add(listener);
  }

  hear(worker: number, { records, status }: LogNews): void {
    this.#workers.set(worker, status);
    for (const record of records) this.#followers.tell(record);
  }

  forget(worker: number): void {
    this.#workers.end(worker);
  }

  status(): LogStatus {
    return this.#workers.addTo(this.#ownStatus());
  }

  #ownStatus(): LogStatus {
    const { writer, drain } = this.#spool ?? {};
    const error = writer?.error ?? (drain?.progress.isHealthy === false ? drain.progress.error : undefined);
    return {
      store: this.#store,
      isHealthy: error === undefined,
      waiting: writer?.waiting ?? 0,
      spoolBytes: writer?.bytes ?? 0,
      lost: (writer?.lost ?? 0) + this.#refused,
      skipped: drain?.progress.skipped ?? 0,
      written: drain?.progress.written ?? 0,
      notices: writer?.notices ?? [],
      ...(error !== undefined && { error: this.#redactor.redact(error) }),
    };
  }

  /** Writes what is in the spool, if the database takes it within five seconds. The rest is written at the next start. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#followers.clear();
    if (this.#spool === undefined) return;
    this.#spool.writer.close();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_TIMEOUT)));
    await Promise.race([this.#spool.drain.flush().catch(() => undefined), timeout]);
    clearTimeout(timer);
  }
}
