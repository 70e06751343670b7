import type { Database, LocalDatabase } from "./database.ts";

/** How long things are kept, in milliseconds. */
export interface Retention {
  /** Default: 30 days. */
  readonly calls?: number | undefined;
  /** Rollups by the hour. Default: 400 days. */
  readonly hourly?: number | undefined;
  /** Captured arguments and responses. Default: 7 days. */
  readonly captures?: number | undefined;
}

/** Something that is kept in partitions. */
interface PartitionedTable {
  readonly name: string;
  readonly unit: "day" | "month";
  readonly keep: number;
}

const DAY = 86_400_000;
/** Rollups by the minute are kept for so long, in milliseconds. */
export const MINUTES_KEPT: number = 7 * DAY;
const AHEAD = 7 * DAY;
/** The most spans that are moved out of the default partition at once. */
const MOST_STRAY_SPANS = 50;
const LOCK = 7_284_105_532;

/**
 * Makes partitions a week ahead, drops those that are too old, and empties the default partitions. Dropping a table costs
 * little, however many rows it has. If another gateway is at it, nothing is done.
 */
export async function maintainPartitions(database: LocalDatabase, retention: Retention, now: number): Promise<void> {
  const tables: readonly PartitionedTable[] = [
    { name: "calls", unit: "day", keep: retention.calls ?? 30 * DAY },
    { name: "captures", unit: "day", keep: Math.min(retention.captures ?? 7 * DAY, retention.calls ?? 30 * DAY) },
    { name: "calls_by_minute", unit: "day", keep: Math.min(MINUTES_KEPT, retention.calls ?? 30 * DAY) },
    { name: "calls_by_hour", unit: "month", keep: retention.hourly ?? 400 * DAY },
  ];
  for (const table of tables) {
    const existing = await listPartitions(database, table);
    const oldest = now - table.keep;
    const wanted = spansBetween(table.unit, now, now + AHEAD);
    const strays = await strayTimes(database, table);
    const kept = strays.filter((time) => time >= startOf(table.unit, oldest));
    await makePartitions(
      database,
      table,
      wanted.filter((start) => !existing.includes(start) && !kept.includes(start)),
    );
    for (const start of kept) await makePartitionOfStrays(database, table, start);
    if (kept.length < strays.length) await deleteStrays(database, table, startOf(table.unit, oldest));
    for (const start of existing) if (endOf(table.unit, start) <= oldest) await dropPartition(database, table, start);
  }
}

/** The beginnings of the partitions that exist. */
async function listPartitions(database: Database, { name, unit }: PartitionedTable): Promise<readonly number[]> {
  const rows = await database.query<{ name: string }>(
    `select child.relname as name from pg_inherits
     join pg_class child on child.oid = inhrelid
     where inhparent = to_regclass($1)`,
    [`toolwire.${name}`],
  );
  return rows.flatMap((row) => {
    const digits = /_(\d{4})_(\d\d)(?:_(\d\d))?$/.exec(row.name);
    return digits === null
      ? []
      : startOf(unit, Date.UTC(Number(digits[1]), Number(digits[2]) - 1, Number(digits[3] ?? 1)));
  });
}

/** Times in the default partition, one for each span. */
async function strayTimes(database: Database, { name, unit }: PartitionedTable): Promise<readonly number[]> {
  const rows = await database.query<{ time: number }>(
    `select distinct (extract(epoch from date_trunc('${unit}', at, 'UTC')) * 1000)::float8 as time
     from toolwire.${name}_default order by 1 limit ${MOST_STRAY_SPANS}`,
  );
  return rows.map(({ time }) => time);
}

/** Makes partitions that the default partition has no rows of. */
async function makePartitions(
  database: LocalDatabase,
  { name, unit }: PartitionedTable,
  starts: readonly number[],
): Promise<void> {
  if (starts.length === 0) return;
  await inTurn(database, async (query) => {
    for (const start of starts) {
      const [from, to] = [start, endOf(unit, start)].map((time) => new Date(time).toISOString());
      await query(`create table if not exists toolwire.${partitionName(name, unit, start)}
        partition of toolwire.${name} for values from ('${from}') to ('${to}')`);
    }
  });
}

/** Makes a partition with the rows of the default partition that belong to it: with them there, it could not be attached. */
async function makePartitionOfStrays(
  database: LocalDatabase,
  { name, unit }: PartitionedTable,
  start: number,
): Promise<void> {
  const partition = `toolwire.${partitionName(name, unit, start)}`;
  const [from, to] = [start, endOf(unit, start)].map((time) => new Date(time).toISOString());
  await inTurn(database, async (query) => {
    const [row] = await query<{ found: string | null }>("select to_regclass($1)::text as found", [partition]);
    if (typeof row?.found === "string") return;
    await query(`create table ${partition} (like toolwire.${name} including all)`);
    await query(
      `with moved as (delete from toolwire.${name}_default where at >= '${from}' and at < '${to}' returning *)
       insert into ${partition} select * from moved`,
    );
    await query(`alter table toolwire.${name} attach partition ${partition} for values from ('${from}') to ('${to}')`);
  });
}

async function deleteStrays(database: LocalDatabase, { name }: PartitionedTable, before: number): Promise<void> {
  await database.query(`delete from toolwire.${name}_default where at < to_timestamp($1::float8 / 1000)`, [before]);
}

async function dropPartition(database: LocalDatabase, { name, unit }: PartitionedTable, start: number): Promise<void> {
  await inTurn(database, async (query) => {
    await query(`drop table if exists toolwire.${partitionName(name, unit, start)}`);
  });
}

/**
 * Changes partitions in a transaction, unless another gateway is at it. Such a change waits for queries that are under way,
 * and makes new ones wait; it gives up early and is tried again at the next time.
 */
async function inTurn(database: LocalDatabase, work: (query: Database["query"]) => Promise<void>): Promise<void> {
  await database.transaction(async (transaction) => {
    const [row] = await transaction.query<{ locked: boolean }>(`select pg_try_advisory_xact_lock(${LOCK}) as locked`);
    if (row?.locked !== true) return;
    await transaction.query("set local lock_timeout = '2s'");
    await work((statement, values) => transaction.query(statement, values));
  });
}

function partitionName(name: string, unit: "day" | "month", start: number): string {
  const date = new Date(start).toISOString();
  return `${name}_${date.slice(0, unit === "day" ? 10 : 7).replaceAll("-", "_")}`;
}

function startOf(unit: "day" | "month", time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), unit === "day" ? date.getUTCDate() : 1);
}

function endOf(unit: "day" | "month", start: number): number {
  const date = new Date(start);
  return unit === "day" ? start + DAY : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

function spansBetween(unit: "day" | "month", from: number, to: number): readonly number[] {
  const starts: number[] = [];
  for (let start = startOf(unit, from); start <= to; start = endOf(unit, start)) starts.push(start);
  return starts;
}
