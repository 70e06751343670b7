import { rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { CallFilter, CallLog, TimeRange } from "../../src/log/call-log.ts";
import { OUTCOMES, type CallRecord } from "../../src/log/call-record.ts";
import { createCallId } from "../../src/log/call-id.ts";
import { DatabaseLog } from "../../src/log/database-log.ts";
import { CallQueries } from "../../src/log/database/call-queries.ts";
import type { LocalDatabase } from "../../src/log/database/database.ts";
import { migrate } from "../../src/log/database/migrations.ts";
import { maintainPartitions } from "../../src/log/database/partitions.ts";
import { MemoryLog } from "../../src/log/memory-log.ts";
import { SpoolDrain } from "../../src/log/spool/spool-drain.ts";
import { SpoolWriter } from "../../src/log/spool/spool-writer.ts";
import { Redactor } from "../../src/secrets/redactor.ts";
import { makeDatabase, makeFolder, STORE, type TestDatabase } from "../storage/databases.ts";
import { anyRecord, makeRecord } from "./records.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 18, 12, 34, 56, 789);

let place: TestDatabase;
let database: LocalDatabase;

beforeAll(async () => {
  place = await makeDatabase();
  database = await place.open();
  await migrate(database);
  await maintainPartitions(database, {}, NOW);
}, 60_000);

afterAll(async () => {
  await database.close();
  await place.remove();
});

beforeEach(async () => {
  for (const table of ["calls", "captures", "calls_by_minute", "calls_by_hour"]) {
    await database.query(`truncate toolwire.${table}`);
  }
});

/** A log in the database with these records, and one in memory. */
async function bothLogs(
  records: readonly CallRecord[],
  work: (stored: CallLog, reference: CallLog) => Promise<void>,
): Promise<void> {
  const folder = await makeFolder();
  const reference = new MemoryLog(new Redactor());
  const writer = await SpoolWriter.open(join(folder, "spool"));
  const drain = await SpoolDrain.open(database, join(folder, "spool"), {
    onProgress: ({ segment, lines }) => writer.drained(segment, lines),
  });
  const stored = new DatabaseLog(database, new Redactor(), { writer, drain }, () => NOW);
  try {
    for (const record of records) {
      reference.add(record);
      stored.add(record);
    }
    await stored.flush();
    await work(stored, reference);
  } finally {
    await stored.close();
    await drain.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const anyFilter: fc.Arbitrary<CallFilter> = fc.record(
  {
    server: fc.constantFrom("weather", "payments", "none"),
    tool: fc.constantFrom("get", "ä", "(unknown)"),
    outcome: fc.constantFrom(...OUTCOMES),
    principal: fc.constantFrom("ada", "bob"),
    client: fc.constantFrom("claude", "curl", "(unknown)"),
  },
  { requiredKeys: [] },
);

/** Ranges that begin and end anywhere, or at whole minutes and hours, within ten days: rollups by the minute begin in between. */
const anyRange: fc.Arbitrary<TimeRange> = fc
  .tuple(
    fc.integer({ min: NOW - 10 * DAY, max: NOW }),
    fc.integer({ min: NOW - 10 * DAY, max: NOW + 1 }),
    fc.constantFrom(1, 60_000, HOUR, DAY),
  )
  .map(([one, other, unit]) => {
    const [from = 0, to = 0] = [one, other].toSorted((a, b) => a - b);
    return { from: Math.floor(from / unit) * unit, to: Math.ceil(to / unit) * unit };
  });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function allPages(log: CallLog, range: TimeRange, filter: CallFilter, limit: number, failuresOnly: boolean) {
  const pages: (readonly CallRecord[])[] = [];
  let before: string | undefined;
  do {
    const page = await log.calls(range, { filter, limit, failuresOnly, ...(before !== undefined && { before }) });
    pages.push(page.calls);
    before = page.next;
  } while (before !== undefined);
  return pages;
}

test(
  `The log in ${STORE} gives the same answers as the log in memory, whatever is asked`,
  { timeout: 120_000 },
  async () => {
    const records = fc.sample(anyRecord(NOW - 10 * DAY, NOW), { numRuns: 800, seed: 42 });
    const recent = fc.sample(anyRecord(NOW - 90 * 60_000, NOW), { numRuns: 200, seed: 43 });
    await bothLogs([...records, ...recent], async (stored, reference) => {
      expect(stored.status()).toMatchObject({ written: 1000, waiting: 0, lost: 0, skipped: 0, isHealthy: true });
      await fc.assert(
        fc.asyncProperty(
          anyRange,
          anyFilter,
          fc.constantFrom(HOUR, DAY, 6 * HOUR, 15 * 60_000),
          fc.integer({ min: 1, max: 120 }),
          fc.boolean(),
          async (range, filter, step, limit, flag) => {
            expect(await stored.totals(range, filter)).toEqual(await reference.totals(range, filter));
            if ((range.to - range.from) / step < 999) {
              expect(await stored.series(range, step, filter)).toEqual(await reference.series(range, step, filter));
            }
            const options = { by: flag ? "failures" : "calls", limit, filter } as const;
            if (limit <= 100) expect(await stored.tools(range, options)).toEqual(await reference.tools(range, options));
            expect(await stored.clients(range, limit)).toEqual(await reference.clients(range, limit));
            const pages = await allPages(reference, range, filter, limit, flag);
            expect(await allPages(stored, range, filter, limit, flag)).toEqual(pages);
            expect(await collect(stored.export(range, filter))).toEqual(await collect(reference.export(range, filter)));
          },
        ),
        { numRuns: 60, seed: 7 },
      );
      for (const { id } of records.slice(0, 50)) expect(await stored.call(id)).toEqual(await reference.call(id));
    });
  },
);

test(`A record that ${STORE} has already is neither written nor counted again`, async () => {
  const records = Array.from({ length: 20 }, (_, index) => makeRecord({ at: NOW - index * HOUR }));
  await bothLogs([...records, ...records], async (stored) => {
    expect(stored.status()).toMatchObject({ written: 20, waiting: 0 });
    const range = { from: NOW - 2 * DAY, to: NOW + 1 };
    expect(await stored.totals(range)).toMatchObject({ calls: 20 });
    expect(await collect(stored.export(range))).toHaveLength(20);
  });
});

test(`A page of the log in ${STORE} looks at a bounded number of calls, and the pages together have all of them`, async () => {
  const records = fc.sample(anyRecord(NOW - DAY, NOW), { numRuns: 300, seed: 44 });
  await bothLogs(records, async (_, reference) => {
    const range = { from: NOW - DAY, to: NOW };
    const bounded = new CallQueries(database, () => NOW, 25);
    for (const filter of [
      { principal: "ada" },
      { client: "curl" },
      { outcome: "ok" as const },
      { tool: "get" },
      { principal: "nobody" },
    ]) {
      const found: CallRecord[] = [];
      let pages = 0;
      let before: string | undefined;
      do {
        const page = await bounded.calls(range, { filter, limit: 10, ...(before !== undefined && { before }) });
        found.push(...page.calls);
        pages += 1;
        before = page.next;
      } while (before !== undefined);
      expect(found).toEqual((await reference.calls(range, { filter, limit: 500 })).calls);
      expect(pages).toBeGreaterThanOrEqual(300 / 25);
      expect(await collect(bounded.export(range, filter))).toEqual(found.toReversed());
    }
  });
});

test(`A call is found in ${STORE} by an id whose time is not exactly that of the call, and not by anything else`, async () => {
  const record = makeRecord({ at: NOW - 5000, id: createCallId(NOW - 3000) });
  await bothLogs([record], async (stored) => {
    expect(await stored.call(record.id)).toEqual(record);
    expect(await stored.call(createCallId(NOW))).toBeUndefined();
    expect(await stored.call("'; drop table toolwire.calls; --")).toBeUndefined();
    await expect(stored.calls({ from: 0, to: NOW }, { before: "x'; --" })).rejects.toThrow(
      "`before` must be the `next`",
    );
    await expect(stored.calls({ from: 0, to: NOW }, { limit: 0.5 })).rejects.toThrow("A limit is a whole number");
  });
});
