import { afterAll, beforeAll, expect, test } from "vitest";
import type { LocalDatabase } from "../../src/log/database/database.ts";
import { insertCalls } from "../../src/log/database/insert-calls.ts";
import { migrate } from "../../src/log/database/migrations.ts";
import { maintainPartitions } from "../../src/log/database/partitions.ts";
import { makeDatabase, STORE, type TestDatabase } from "../storage/databases.ts";
import { makeRecord } from "./records.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 27, 23, 30);

let place: TestDatabase;
let database: LocalDatabase;

beforeAll(async () => {
  place = await makeDatabase();
  database = await place.open();
  await database.query("drop schema if exists toolwire cascade");
  await migrate(database);
}, 60_000);

afterAll(async () => {
  await database.close();
  await place.remove();
});

async function partitions(table: string): Promise<readonly string[]> {
  const rows = await database.query<{ name: string }>(
    "select relname as name from pg_inherits join pg_class on oid = inhrelid where inhparent = to_regclass($1) order by 1",
    [`toolwire.${table}`],
  );
  return rows.map(({ name }) => name);
}

async function count(table: string): Promise<number> {
  const [row] = await database.query<{ n: number }>(`select count(*)::int as n from toolwire.${table}`);
  return row?.n ?? 0;
}

async function add(at: number): Promise<void> {
  await insertCalls(database, [
    { record: makeRecord({ at, capture: { arguments: "{}", response: "x" } }), client: "claude" },
  ]);
}

test(`Partitions in ${STORE} are made a week ahead, keep what came before them, and are dropped when they are too old`, async () => {
  await add(NOW);
  await add(NOW - 3 * DAY);
  await add(NOW - 60 * DAY);
  expect(await count("calls_default")).toBe(3);
  await maintainPartitions(database, {}, NOW);
  // Strays are moved, those beyond the retention are gone, and rollups know them all.
  expect(await count("calls_default")).toBe(0);
  expect(await count("captures_default")).toBe(0);
  expect(await count("calls")).toBe(2);
  expect(await count("calls_by_hour")).toBe(3);
  const days = await partitions("calls");
  expect(days).toEqual([
    "calls_2026_11_24",
    ...["27", "28", "29", "30"].map((day) => `calls_2026_11_${day}`),
    ...["01", "02", "03", "04"].map((day) => `calls_2026_12_${day}`),
    "calls_default",
  ]);
  expect(await partitions("calls_by_hour")).toEqual([
    "calls_by_hour_2026_09",
    "calls_by_hour_2026_11",
    "calls_by_hour_2026_12",
    "calls_by_hour_default",
  ]);
  await add(NOW + 7 * DAY);
  expect(await count("calls_default")).toBe(0);

  // The time before which calls are dropped is now within the day of the first one, which stays whole.
  await maintainPartitions(database, {}, NOW + 29.5 * DAY);
  expect(await partitions("calls")).not.toContain("calls_2026_11_24");
  expect(await partitions("calls")).toContain("calls_2026_11_27");
  expect(await partitions("captures")).not.toContain("captures_2026_11_27");
  expect(await partitions("calls_by_minute")).not.toContain("calls_by_minute_2026_11_27");
  expect(await count("calls")).toBe(2);

  await maintainPartitions(database, { calls: 2 * DAY, hourly: 30 * DAY }, NOW + 60 * DAY);
  expect(await count("calls")).toBe(0);
  expect(await partitions("calls_by_hour")).not.toContain("calls_by_hour_2026_09");
});

test(`A gateway refuses tables in ${STORE} that a newer one has made, and makes its own only once`, async () => {
  await migrate(database);
  await database.query("insert into toolwire.migrations values (9999, now())");
  await expect(migrate(database)).rejects.toThrow("The tables of the database are newer than this gateway");
  await database.query("delete from toolwire.migrations where step = 9999");
  await migrate(database);
});
