import { appendFile, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallRecord } from "../../src/log/call-record.ts";
import type { Database } from "../../src/log/database/database.ts";
import { normalizeRecord } from "../../src/log/normal-record.ts";
import { readPosition, segmentFile, type SpoolPosition } from "../../src/log/spool/segments.ts";
import { SpoolDrain, type DrainProgress } from "../../src/log/spool/spool-drain.ts";
import { SpoolReader } from "../../src/log/spool/spool-reader.ts";
import { SpoolWriter } from "../../src/log/spool/spool-writer.ts";
import { makeFolder } from "../storage/databases.ts";
import { anyRecord, makeRecord } from "./records.ts";

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Reads and commits everything that is in the spool. */
async function readAll(reader: SpoolReader, most = 100) {
  const records: CallRecord[] = [];
  let skipped = 0;
  for (let batch = await reader.next(most); batch !== undefined; batch = await reader.next(most)) {
    records.push(...batch.records);
    skipped += batch.unreadable.length;
    await reader.commit(batch);
  }
  return { records, skipped };
}

/** Reads and commits everything, and returns the position after it. */
async function readToTheEnd(): Promise<SpoolPosition> {
  await readAll(await SpoolReader.open(folder));
  return readPosition(folder);
}

/** Takes what it is given, unless it is down. */
class FakeDatabase implements Database {
  readonly kind = "postgres";
  isDown = false;
  /** Refuses records with this id as Postgres refuses values. */
  refusedId = "";
  readonly ids: string[] = [];
  queries = 0;

  async query<Row extends object>(_: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    this.queries += 1;
    if (this.isDown) throw new Error("connect ECONNREFUSED");
    const ids = [...String(values[0]).matchAll(/[0-9a-f-]{36}/g)].map(([id]) => id);
    if (ids.includes(this.refusedId)) throw Object.assign(new Error("invalid byte sequence"), { code: "22021" });
    this.ids.push(...ids);
    return [{ written: ids.length }] as unknown as readonly Row[];
  }

  async close(): Promise<void> {}
}

test("Everything that is appended is read back in order, over any number of segments, by any number of readers in turn", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyRecord(0, 1e12), { maxLength: 20 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 100, max: 5000 }),
      fc.integer({ min: 1, max: 7 }),
      async (runs, segmentBytes, most) => {
        const own = join(folder, String(Math.random()));
        const read: CallRecord[] = [];
        for (const run of runs) {
          const writer = await SpoolWriter.open(own, { segmentBytes });
          for (const record of run) writer.append(record);
          expect(writer.waiting).toBe(run.length);
          writer.close();
          const { records, skipped } = await readAll(await SpoolReader.open(own), most);
          expect(skipped).toBe(0);
          read.push(...records);
        }
        expect(read).toEqual(runs.flat().map((record) => normalizeRecord(record)));
        expect((await readdir(own)).filter((name) => name.endsWith("jsonl")).length).toBeLessThanOrEqual(2);
      },
    ),
    { numRuns: 30 },
  );
});

test("Lines that were cut off or are corrupt are skipped and counted, and the others are read", async () => {
  const records = [makeRecord(), makeRecord(), makeRecord()];
  const [one, two, three] = records.map((record) => JSON.stringify(record));
  await mkdir(folder, { recursive: true });
  await writeFile(segmentFile(folder, 1), `${one}\n\0\0\0\n{"id":1}\n${two}\n${String(three).slice(0, 100)}`);
  await writeFile(segmentFile(folder, 2), `${three}`);
  await SpoolWriter.open(folder);
  const read = await readAll(await SpoolReader.open(folder));
  expect(read.records).toEqual(records);
  expect(read.skipped).toBe(3);
});

test("A line that is still being written is left until it is complete", async () => {
  const line = JSON.stringify(makeRecord());
  await writeFile(segmentFile(folder, 1), `${line}\n${line.slice(0, 50)}`);
  const reader = await SpoolReader.open(folder);
  expect((await readAll(reader)).records).toHaveLength(1);
  await appendFile(segmentFile(folder, 1), `${line.slice(50)}\n`);
  expect(await readAll(reader)).toMatchObject({ records: [{}], skipped: 0 });
});

test("A reader that dies before it commits reads the same again", async () => {
  const writer = await SpoolWriter.open(folder);
  const records = Array.from({ length: 10 }, () => makeRecord());
  for (const record of records) writer.append(record);
  const first = await SpoolReader.open(folder);
  const batch = await first.next(4);
  if (batch !== undefined) await first.commit(batch);
  await first.next(4);
  const second = await SpoolReader.open(folder);
  expect((await readAll(second)).records).toEqual(records.slice(4));
});

test("A spool that is full gives up its oldest segment, and counts exactly what is lost", async () => {
  const writer = await SpoolWriter.open(folder, { segmentBytes: 2000, maxSpoolBytes: 6000 });
  const records = Array.from({ length: 100 }, () => makeRecord());
  for (const record of records) writer.append(record);
  expect(writer.bytes).toBeLessThanOrEqual(8000);
  expect(writer.waiting + writer.lost).toBe(100);
  await expect.poll(async () => (await readdir(folder)).length).toBeLessThanOrEqual(4);
  const { records: read } = await readAll(await SpoolReader.open(folder));
  expect(read).toEqual(records.slice(writer.lost));
  expect(writer.lost).toBeGreaterThan(50);
});

test("A spool that is full says so once, and again when it is full after it was emptied", async () => {
  const warnings: string[] = [];
  const writer = await SpoolWriter.open(folder, { segmentBytes: 2000, maxSpoolBytes: 6000 }, (message) =>
    warnings.push(message),
  );
  const fill = (): void => {
    for (let index = 0; index < 50; index += 1) writer.append(makeRecord());
  };
  fill();
  fill();
  expect(warnings).toEqual([expect.stringContaining("`analytics.maxSpoolBytes` makes room for longer outages")]);
  const { segment } = await readToTheEnd();
  writer.drained(segment, 0);
  fill();
  expect(warnings).toHaveLength(2);
});

test("Lines of a segment that were read before it was given up are not counted as lost", async () => {
  const writer = await SpoolWriter.open(folder, { segmentBytes: 2000, maxSpoolBytes: 4000 });
  const reader = await SpoolReader.open(folder);
  for (let index = 0; index < 5; index += 1) writer.append(makeRecord());
  const batch = await reader.next(3);
  for (let index = 0; index < 20; index += 1) writer.append(makeRecord());
  const { lost } = writer;
  if (batch !== undefined) writer.drained(batch.next.segment, batch.lines);
  expect(writer.lost).toBe(lost - 3);
});

test("While the disk takes nothing, records wait in memory, and the oldest are given up beyond the limit", async () => {
  const own = join(folder, "spool");
  const writer = await SpoolWriter.open(own, { waitingLines: 3, segmentBytes: 1 });
  await rm(own, { recursive: true });
  await writeFile(own, "a file where the folder was");
  for (let index = 0; index < 5; index += 1) writer.append(makeRecord({ tool: `tool-${index}` }));
  expect(writer.error).toContain("The spool of the call log cannot be written");
  expect(writer).toMatchObject({ waiting: 3, lost: 2 });
  await rm(own);
  await mkdir(own);
  await expect.poll(() => writer.error).toBeUndefined();
  const { records } = await readAll(await SpoolReader.open(own));
  expect(records.map(({ tool }) => tool)).toEqual(["tool-2", "tool-3", "tool-4"]);
});

test("no-answered-call-is-lost: while the database is down, records wait in the spool, and are written when it is back", async () => {
  const writer = await SpoolWriter.open(folder, { segmentBytes: 5000 });
  const database = new FakeDatabase();
  database.isDown = true;
  const drain = await SpoolDrain.open(database, folder, {
    onProgress: ({ segment, lines }) => writer.drained(segment, lines),
  });
  const records = Array.from({ length: 3000 }, () => makeRecord());
  for (const record of records) {
    writer.append(record);
    drain.wake();
  }
  await expect.poll(() => drain.progress).toMatchObject({ isHealthy: false, error: "connect ECONNREFUSED" });
  expect(writer.waiting).toBe(3000);
  database.isDown = false;
  await drain.flush();
  expect(database.ids).toEqual(records.map(({ id }) => id));
  expect(drain.progress).toMatchObject({ isHealthy: true, written: 3000, error: undefined });
  expect(writer.waiting).toBe(0);
  await drain.close();
});

test("A record that the database refuses is given up alone, and does not hold up the others", async () => {
  const writer = await SpoolWriter.open(folder);
  const records = Array.from({ length: 50 }, () => makeRecord());
  for (const record of records) writer.append(record);
  const database = new FakeDatabase();
  database.refusedId = records[20]?.id ?? "";
  const drain = await SpoolDrain.open(database, folder, { onProgress: () => undefined });
  await drain.flush();
  expect(database.ids).toEqual(records.filter((_, index) => index !== 20).map(({ id }) => id));
  expect(drain.progress).toMatchObject({ written: 49, skipped: 1, isHealthy: true });
  await drain.close();
});

test("A drain that is closed while the database is down leaves the records to the next one", async () => {
  const writer = await SpoolWriter.open(folder);
  const database = new FakeDatabase();
  database.isDown = true;
  writer.append(makeRecord());
  const progress: DrainProgress[] = [];
  const drain = await SpoolDrain.open(database, folder, { onProgress: (each) => progress.push(each) });
  drain.wake();
  await expect.poll(() => database.queries).toBeGreaterThan(0);
  await drain.close();
  database.isDown = false;
  const next = await SpoolDrain.open(database, folder, { onProgress: () => undefined });
  await next.flush();
  expect(database.ids).toHaveLength(1);
  await next.close();
});
