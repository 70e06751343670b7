import { timeOfCallId } from "../call-id.ts";
import { limitOf, readPosition, writePosition } from "../call-pages.ts";
import type {
  CallFilter,
  CallPage,
  CallTotals,
  ClientTotals,
  SeriesPoint,
  TimeRange,
  ToolTotals,
} from "../call-log.ts";
import type { CallRecord } from "../call-record.ts";
import { checkRange, intervalsOf } from "../intervals.ts";
import { rankTools } from "../ranking.ts";
import { Tally, type CallCount } from "../tally.ts";
import { recordOf, type CallRow } from "./call-rows.ts";
import type { Database } from "./database.ts";
import { MINUTES_KEPT } from "./partitions.ts";
import {
  callStatement,
  clientsStatement,
  pageStatement,
  scanEndStatement,
  seriesStatement,
  toolsStatement,
  totalsStatement,
  type PageRequest,
  type Statement,
} from "./statements.ts";

const EXPORT_PAGE = 1000;
const MOST_SCANNED = 50_000;
/** The time in an id of a call differs from the time of its record by at most so much, if `createCallId` was not used. */
const ID_TOLERANCE = 5 * 60_000;
const DAY = 86_400_000;

/** Answers questions about the calls in a database. */
export class CallQueries {
  readonly #database: Pick<Database, "query">;
  readonly #now: () => number;
  readonly #mostScanned: number;

  constructor(database: Pick<Database, "query">, now: () => number, mostScanned: number = MOST_SCANNED) {
    this.#database = database;
    this.#now = now;
    this.#mostScanned = mostScanned;
  }

  async totals(range: TimeRange, filter: CallFilter = {}): Promise<CallTotals> {
    checkRange(range);
    const tally = new Tally();
    for (const row of await this.#run<CallCount>(totalsStatement(range, filter, this.#minutesFrom()))) tally.add(row);
    return tally.totals();
  }

  async series(range: TimeRange, step: number, filter: CallFilter = {}): Promise<readonly SeriesPoint[]> {
    const tallies = new Map(intervalsOf(range, step).map((at) => [at, new Tally()]));
    const statement = seriesStatement(range, step, filter, this.#minutesFrom());
    for (const row of await this.#run<CallCount & { interval: number }>(statement)) tallies.get(row.interval)?.add(row);
    return [...tallies].map(([at, tally]) => ({ at, ...tally.totals() }));
  }

  async tools(
    range: TimeRange,
    options: { readonly by?: "calls" | "failures"; readonly limit?: number; readonly filter?: CallFilter } = {},
  ): Promise<readonly ToolTotals[]> {
    checkRange(range);
    const { by = "calls", filter = {} } = options;
    const limit = limitOf(options.limit, 10, 100);
    const statement = toolsStatement(range, by, limit, filter, this.#minutesFrom());
    const tools = new Map<string, { readonly server: string; readonly tool: string; readonly tally: Tally }>();
    for (const row of await this.#run<CallCount & { server: string; tool: string }>(statement)) {
      const key = JSON.stringify([row.server, row.tool]);
      const entry = tools.get(key) ?? { server: row.server, tool: row.tool, tally: new Tally() };
      tools.set(key, entry);
      entry.tally.add(row);
    }
    return rankTools([...tools.values()], by, limit);
  }

  async clients(range: TimeRange, limit?: number): Promise<readonly ClientTotals[]> {
    checkRange(range);
    return this.#run<ClientTotals>(clientsStatement(range, limitOf(limit, 10, 100), this.#minutesFrom()));
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
    checkRange(range);
    const limit = limitOf(options.limit, 50, 500);
    const { records, next } = await this.#page(limit, {
      range,
      filter: options.filter ?? {},
      failuresOnly: options.failuresOnly === true,
      order: "newest",
      after: options.before === undefined ? undefined : readPosition(options.before),
    });
    return { calls: records, next: next === undefined ? undefined : writePosition(next) };
  }

  async call(id: string): Promise<CallRecord | undefined> {
    const at = timeOfCallId(id);
    if (at === undefined) return undefined;
    const exactly = { from: at, to: at + 1 };
    const [row] = await this.#run<CallRow>(callStatement(id, exactly));
    if (row !== undefined) return recordOf(row);
    const about = { from: at - ID_TOLERANCE, to: at + ID_TOLERANCE };
    const [other] = await this.#run<CallRow>(callStatement(id, about));
    return other === undefined ? undefined : recordOf(other);
  }

  async *export(range: TimeRange, filter: CallFilter = {}): AsyncGenerator<CallRecord> {
    checkRange(range);
    let after: PageRequest["after"];
    do {
      const page: ReadPage = await this.#page(EXPORT_PAGE, {
        range,
        filter,
        failuresOnly: false,
        order: "oldest",
        after,
      });
      yield* page.records;
      after = page.next;
    } while (after !== undefined);
  }

  async #page(limit: number, request: Omit<PageRequest, "limit" | "mostScanned">): Promise<ReadPage> {
    const oneMore = { ...request, limit: limit + 1, mostScanned: this.#mostScanned };
    const found = (await this.#run<CallRow>(pageStatement(oneMore))).map(recordOf);
    const records = found.slice(0, limit);
    if (found.length > limit) return { records, next: records.at(-1) };
    const scanEnd = scanEndStatement(oneMore);
    const [next] = scanEnd === undefined ? [] : await this.#run<{ id: string; at: number }>(scanEnd);
    return { records, next };
  }

  async #run<Row extends object>({ text, values }: Statement): Promise<readonly Row[]> {
    return this.#database.query<Row>(text, values);
  }

  /** Rollups by the minute are dropped by the day; the margin is for clocks of gateways that differ. */
  #minutesFrom(): number {
    return this.#now() - MINUTES_KEPT + DAY;
  }
}

interface ReadPage {
  readonly records: readonly CallRecord[];
  readonly next: { readonly id: string; readonly at: number } | undefined;
}
