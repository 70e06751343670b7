/** What a call costs in the call log: bytes in the store, and the time of the one that writes. The figures are printed. */
import { findPostgres, startPostgres } from "@toolwire/engines";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createCallId } from "../../src/log/call-id.ts";
import type { CallRecord } from "../../src/log/call-record.ts";
import type { LocalDatabase } from "../../src/log/database/database.ts";
import { insertCalls } from "../../src/log/database/insert-calls.ts";
import { migrate } from "../../src/log/database/migrations.ts";
import { maintainPartitions } from "../../src/log/database/partitions.ts";
import { SpoolWriter } from "../../src/log/spool/spool-writer.ts";
import { openPglite } from "../../src/storage/database/pglite.ts";
import { openPostgres } from "../../src/storage/database/postgres.ts";
import { makeRecord } from "../log/records.ts";

const BATCH = 1000;
const RECORDS = 100_000;
const MINUTES = 50;

/** Calls as gateways have them: some servers and tools, many callers, a few kinds of clients, within an hour. */
function makeCall(index: number, start: number): CallRecord {
  const at = start + Math.floor((index / RECORDS) * MINUTES * 60_000);
  return makeRecord({
    id: createCallId(at),
    at,
    node: `gateway-${index % 2}`,
    server: `server-${index % 5}`,
    tool: `get_something_${index % 20}`,
    principal: `caller-${index % 1000}`,
    clientName: `client-${index % 4}`,
    clientVersion: "1.2.3",
    userAgent: "node",
    durationMs: 5 + ((index * 7) % 90),
  });
}

async function fill(database: LocalDatabase): Promise<{ readonly bytes: number; readonly perSecond: number }> {
  await migrate(database);
  const start = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  await maintainPartitions(database, {}, start);
  const sizeOf = async (): Promise<number> => {
    const [row] = await database.query<{ size: number }>(
      `select sum(pg_total_relation_size(c.oid))::float8 as size from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'toolwire' and c.relkind = 'r'`,
    );
    return row?.size ?? 0;
  };
  const before = await sizeOf();
  let spent = 0;
  for (let index = 0; index < RECORDS; index += BATCH) {
    const records = Array.from({ length: BATCH }, (_, offset) => makeCall(index + offset, start));
    const counted = records.map((record) => ({ record, client: record.clientName ?? "" }));
    const begun = performance.now();
    const { written } = await insertCalls(database, counted);
    spent += performance.now() - begun;
    expect(written).toBe(BATCH);
  }
  return { bytes: ((await sizeOf()) - before) / RECORDS, perSecond: (RECORDS / spent) * 1000 };
}

const isPlausible = ({ bytes }: { readonly bytes: number }): boolean => bytes > 200 && bytes < 1000;

it(
  "takes less than a kibibyte of Postgres for each call, indexes and rollups included",
  { timeout: 180_000 },
  async () => {
    const server = await startPostgres(findPostgres().bin);
    onTestFinished(() => server.close());
    const database = openPostgres(server.url, 1);
    onTestFinished(() => database.close());
    const cost = await fill(database);
    console.log(
      `Postgres: ${cost.bytes.toFixed(0)} bytes a call, ${cost.perSecond.toFixed(0)} calls a second by one writer`,
    );
    expect(cost).toSatisfy(isPlausible);
  },
);

it("takes less than a kibibyte of the embedded database for each call", { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolwire-cost-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const database = await openPglite(join(folder, "database"));
  onTestFinished(() => database.close());
  const cost = await fill(database);
  console.log(
    `PGlite: ${cost.bytes.toFixed(0)} bytes a call, ${cost.perSecond.toFixed(0)} calls a second by one writer`,
  );
  expect(cost).toSatisfy(isPlausible);
});

it("takes half a kibibyte of the spool for each call, until it is in the database", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolwire-cost-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const writer = await SpoolWriter.open(folder);
  const records = Array.from({ length: 10_000 }, (_, index) => makeCall(index, Date.now()));
  const begun = performance.now();
  for (const record of records) writer.append(record);
  const spent = performance.now() - begun;
  writer.close();
  const files = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
  const lengths = await Promise.all(files.map(async (name) => (await readFile(join(folder, name))).length));
  const bytes = lengths.reduce((sum, length) => sum + length, 0) / records.length;
  console.log(`Spool: ${bytes.toFixed(0)} bytes a call, ${((spent * 1000) / records.length).toFixed(1)} µs a call`);
  expect(bytes).toBeLessThan(700);
});
