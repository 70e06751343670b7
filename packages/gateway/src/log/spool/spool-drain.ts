import { setTimeout as delay } from "node:timers/promises";
import { countedClient } from "../normal-record.ts";
import type { Database } from "../database/database.ts";
import { insertCalls } from "../database/insert-calls.ts";
import { SpoolReader, type SpoolBatch } from "./spool-reader.ts";

/** How far the drain of the spool has come. */
export interface DrainProgress {
  /** The segment that is read. */
  readonly segment: number;
  /** Lines of that segment that are in the database. */
  readonly lines: number;
  /** Records that were written since the start. */
  readonly written: number;
  /** Lines and records that were given up since the start. */
  readonly skipped: number;
  readonly isHealthy: boolean;
  readonly error?: string | undefined;
}

/** Wants to know how the drain goes. */
export interface DrainListener {
  onProgress(progress: DrainProgress): void;
  /** The spool was empty when it was last looked at. The next record needs a new `wake`. */
  onIdle?(): void;
}

const BATCH = 1000;
/** Records are gathered for so long before they are written. */
const GATHER = 250;
const LONGEST_DELAY = 10_000;
const MOST_CLIENTS = 100;

/** Writes the spool to the database, batch after batch, and keeps trying while the database is down. */
export class SpoolDrain {
  readonly #database: Database;
  readonly #reader: SpoolReader;
  readonly #listener: DrainListener;
  readonly #closing = new AbortController();
  readonly #clients = new ClientNames();
  #progress: DrainProgress;
  #running: Promise<void> | undefined;
  #isWoken = false;
  /** Ends the time in which records are gathered. */
  #hurry = new AbortController();

  private constructor(database: Database, reader: SpoolReader, listener: DrainListener) {
    this.#database = database;
    this.#reader = reader;
    this.#listener = listener;
    this.#progress = { segment: reader.segment, lines: 0, written: 0, skipped: 0, isHealthy: true };
  }

  static async open(database: Database, folder: string, listener: DrainListener): Promise<SpoolDrain> {
    return new SpoolDrain(database, await SpoolReader.open(folder), listener);
  }

  get progress(): DrainProgress {
    return this.#progress;
  }

  /** There is something to write: soon, with what is added until then. */
  wake(): void {
    this.#isWoken = true;
    this.#running ??= this.#run();
  }

  /** Resolves when everything that is in the spool now is in the database, or the drain is closed. */
  async flush(): Promise<void> {
    this.wake();
    this.#hurry.abort();
    await this.#running;
  }

  /** Ends after the batch that is being written. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#hurry.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.#gather();
      for (let failures = 0; this.#isWoken || failures > 0;) {
        this.#isWoken = false;
        failures = (await this.#drainAll()) ? 0 : failures + 1;
        if (failures > 0) await delay(delayOf(failures), undefined, { signal: this.#closing.signal });
      }
    } catch {
      // Closed while it waited.
    } finally {
      this.#running = undefined;
      this.#listener.onIdle?.();
    }
  }

  async #gather(): Promise<void> {
    this.#hurry = new AbortController();
    await delay(GATHER, undefined, { signal: this.#hurry.signal }).catch(() => undefined);
  }

  /** Writes batches until the spool is empty. Returns whether the database took all of them. */
  async #drainAll(): Promise<boolean> {
    try {
      for (;;) {
        const batch = await this.#reader.next(BATCH);
        if (batch === undefined) break;
        await this.#write(batch);
        if (this.#closing.signal.aborted) return true;
      }
      this.#report({ isHealthy: true, error: undefined, segment: this.#reader.segment });
      return true;
    } catch (error) {
      this.#report({ isHealthy: false, error: error instanceof Error ? error.message : String(error) });
      return false;
    }
  }

  async #write(batch: SpoolBatch): Promise<void> {
    const records = batch.records.map((record) => ({
      record,
      client: this.#clients.counted(countedClient(record), record.at),
    }));
    const { written, refused, error } = await insertCalls(this.#database, records);
    await this.#reader.commit(batch);
    this.#report({
      segment: batch.next.segment,
      lines: batch.lines,
      written: this.#progress.written + written,
      skipped: this.#progress.skipped + batch.unreadable.length + refused,
      isHealthy: true,
      error: error instanceof Error ? error.message : undefined,
    });
  }

  #report(change: Partial<DrainProgress>): void {
    const isSameSegment = change.segment === undefined || change.segment === this.#progress.segment;
    this.#progress = { ...this.#progress, ...(!isSameSegment && { lines: 0 }), ...change };
    this.#listener.onProgress(this.#progress);
  }
}

/** Half a second, a second, and so on, a bit earlier or later, so that gateways do not come back all at once. */
function delayOf(failures: number): number {
  return Math.min(LONGEST_DELAY, 250 * 2 ** failures) * (0.75 + Math.random() / 2);
}

/** Clients choose their names. Beyond the first hundred of an hour, they are counted together. */
class ClientNames {
  #hour = 0;
  readonly #names = new Set<string>();

  counted(name: string, at: number): string {
    const hour = Math.floor(at / 3_600_000);
    if (hour !== this.#hour) this.#names.clear();
    this.#hour = hour;
    if (this.#names.size >= MOST_CLIENTS && !this.#names.has(name)) return "(other)";
    this.#names.add(name);
    return name;
  }
}
