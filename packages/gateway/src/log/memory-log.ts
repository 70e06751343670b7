import type { Redactor } from "../secrets/redactor.ts";
import { compareNewestFirst, limitOf, readPosition, writePosition } from "./call-pages.ts";
import type {
  CallFilter,
  CallLog,
  CallPage,
  CallTotals,
  ClientTotals,
  LogNews,
  LogStatus,
  SeriesPoint,
  TimeRange,
  ToolTotals,
} from "./call-log.ts";
import type { CallRecord } from "./call-record.ts";
import { Followers } from "./followers.ts";
import { checkRange, intervalsOf } from "./intervals.ts";
import { countedClient, countedTool, countOf, isMatch, normalizeRecord, withoutCapture } from "./normal-record.ts";
import { redactRecord } from "./redact-record.ts";
import { rankClients, rankTools } from "./ranking.ts";
import { Tally } from "./tally.ts";

const MOST_RECORDS = 10_000;

/** A call log in memory, for tests and for gateways that keep no log: the last 10,000 calls, gone with the process. */
export class MemoryLog implements CallLog {
  readonly #redactor: Redactor;
  readonly #most: number;
  readonly #followers = new Followers();
  /** By id, in the order in which they were added. */
  readonly #records = new Map<string, CallRecord>();
  /** The ids of the records, in a ring. A map that loses its first entry all the time takes longer and longer to find it. */
  readonly #ids: string[] = [];
  #oldest = 0;
  #written = 0;
  #skipped = 0;

  constructor(redactor: Redactor, most: number = MOST_RECORDS) {
    this.#redactor = redactor;
    this.#most = most;
  }

  add(record: CallRecord): void {
    const redacted = redactRecord(record, this.#redactor);
    this.#followers.tell(redacted);
    const normal = normalizeRecord(redacted);
    if (normal === undefined) {
      this.#skipped += 1;
      return;
    }
    if (this.#records.has(normal.id)) return;
    this.#records.set(normal.id, normal);
    this.#written += 1;
    if (this.#ids.length < this.#most) {
      this.#ids.push(normal.id);
      return;
    }
    this.#records.delete(this.#ids[this.#oldest] ?? "");
    this.#ids[this.#oldest] = normal.id;
    this.#oldest = (this.#oldest + 1) % this.#most;
  }

  async flush(): Promise<void> {}

  async totals(range: TimeRange, filter: CallFilter = {}): Promise<CallTotals> {
    const tally = new Tally();
    for (const record of this.#counted(range, filter)) tally.add(countOf(record));
    return tally.totals();
  }

  async series(range: TimeRange, step: number, filter: CallFilter = {}): Promise<readonly SeriesPoint[]> {
    const tallies = new Map(intervalsOf(range, step).map((at) => [at, new Tally()]));
    for (const record of this.#counted(range, filter)) {
      tallies.get(Math.floor(record.at / step) * step)?.add(countOf(record));
    }
    return [...tallies].map(([at, tally]) => ({ at, ...tally.totals() }));
  }

  async tools(
    range: TimeRange,
    options: { readonly by?: "calls" | "failures"; readonly limit?: number; readonly filter?: CallFilter } = {},
  ): Promise<readonly ToolTotals[]> {
    const tallies = new Map<string, { readonly server: string; readonly tool: string; readonly tally: Tally }>();
    for (const record of this.#counted(range, options.filter ?? {})) {
      const tool = countedTool(record);
      const key = JSON.stringify([record.server, tool]);
      const entry = tallies.get(key) ?? { server: record.server, tool, tally: new Tally() };
      tallies.set(key, entry);
      entry.tally.add(countOf(record));
    }
    return rankTools([...tallies.values()], options.by, limitOf(options.limit, 10, 100));
  }

  async clients(range: TimeRange, limit?: number): Promise<readonly ClientTotals[]> {
    const clients = new Map<string, { calls: number; failures: number }>();
    for (const record of this.#counted(range, {})) {
      const client = countedClient(record);
      const entry = clients.get(client) ?? { calls: 0, failures: 0 };
      clients.set(client, entry);
      entry.calls += 1;
      if (record.outcome !== "ok") entry.failures += 1;
    }
    const totals = [...clients].map(([client, { calls, failures }]) => ({ client, calls, failures }));
    return rankClients(totals, limitOf(limit, 10, 100));
  }

  async calls(
    range: TimeRange,
    options: {
      readonly filter?: CallFilter;
      readonly before?: string;
      readonly limit?: number;
      readonly failuresOnly?: boolean;
    } = {},
  ): Promise<CallPage> {
    const limit = limitOf(options.limit, 50, 500);
    const before = options.before === undefined ? undefined : readPosition(options.before);
    const found = this.#listed(range, options.filter ?? {})
      .filter((record) => options.failuresOnly !== true || record.outcome !== "ok")
      .filter((record) => before === undefined || compareNewestFirst(before, record) < 0);
    const calls = found.slice(0, limit);
    const last = calls.at(-1);
    return { calls, next: found.length > limit && last !== undefined ? writePosition(last) : undefined };
  }

  async call(id: string): Promise<CallRecord | undefined> {
    return this.#records.get(id.toLowerCase());
  }

  async *export(range: TimeRange, filter: CallFilter = {}): AsyncGenerator<CallRecord> {
    yield* this.#listed(range, filter).toReversed();
  }

  follow(listener: (record: CallRecord) => void): () => void {
    return this.#followers.add(listener);
  }

  hear(_worker: number, { records }: LogNews): void {
    for (const record of records) this.add(record);
  }

  forget(): void {}

  status(): LogStatus {
    return {
      store: "memory",
      isHealthy: true,
      waiting: 0,
      spoolBytes: 0,
      lost: 0,
      skipped: this.#skipped,
      written: this.#written,
      notices: [],
    };
  }

  async close(): Promise<void> {
    this.#followers.clear();
  }

  *#counted(range: TimeRange, filter: CallFilter): Generator<CallRecord> {
    checkRange(range);
    for (const record of this.#records.values()) if (isMatch(record, range, filter, countedTool)) yield record;
  }

  #listed(range: TimeRange, filter: CallFilter): CallRecord[] {
    checkRange(range);
    return [...this.#records.values()]
      .filter((record) => isMatch(record, range, filter, ({ tool }) => tool))
      .map(withoutCapture)
      .toSorted(compareNewestFirst);
  }
}
