import fc from "fast-check";
import { expect, test } from "vitest";
import { createCallId, isUuid, timeOfCallId } from "../../src/log/call-id.ts";
import { coverRange } from "../../src/log/database/cover.ts";
import { arrayOf } from "../../src/log/database/database.ts";
import { BUCKETS, bucketOf, durationOf, percentileOf } from "../../src/log/histogram.ts";
import { intervalsOf } from "../../src/log/intervals.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("A call's id is a UUID of version 7 that has the time of the call, and no two are the same", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 47 }), (at) => {
      const id = createCallId(at);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(timeOfCallId(id)).toBe(at);
    }),
  );
  const ids = Array.from({ length: 10_000 }, () => createCallId(1));
  expect(new Set(ids).size).toBe(10_000);
  expect(isUuid("not-an-id")).toBe(false);
  expect(timeOfCallId("../../etc/passwd")).toBeUndefined();
});

test("A percentile is at most 12 % away from the duration that it stands for", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.1, max: 200_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0.5, 0.95, 0.99),
      (durations, share) => {
        const counts = Array.from({ length: BUCKETS }, () => 0);
        for (const duration of durations) counts[bucketOf(duration)] = (counts[bucketOf(duration)] ?? 0) + 1;
        const exact = durations.toSorted((one, other) => one - other)[Math.ceil(durations.length * share) - 1] ?? 0;
        const found = percentileOf(counts, share) ?? 0;
        expect(Math.abs(found - exact) / exact).toBeLessThanOrEqual(0.12);
      },
    ),
  );
  expect(percentileOf([], 0.5)).toBeUndefined();
  expect([bucketOf(0), bucketOf(Number.NaN), bucketOf(1e9)]).toEqual([0, 0, BUCKETS - 1]);
  expect(durationOf(0)).toBe(0.1);
});

test("Parts of a time range cover it without gap or overlap, with single calls at its ends only", () => {
  const now = Date.UTC(2026, 10, 18, 12);
  fc.assert(
    fc.property(
      fc.integer({ min: now - 40 * 24 * HOUR, max: now }),
      fc.integer({ min: 0, max: 30 * 24 * HOUR }),
      fc.constantFrom(now - 6 * 24 * HOUR, now, 0),
      fc.constantFrom(HOUR, 6 * HOUR, 5 * MINUTE, 1500),
      (from, length, minutesFrom, step) => {
        const range = { from, to: from + length };
        const parts = coverRange(range, minutesFrom, step).toSorted((one, other) => one.from - other.from);
        let end = range.from;
        for (const part of parts) {
          expect(part.from).toBe(end);
          end = part.to;
          const unit = { hour: HOUR, minute: MINUTE, call: 1 }[part.by];
          expect([part.from % unit, part.to % unit]).toEqual([0, 0]);
          if (part.by === "minute") expect(part.from).toBeGreaterThanOrEqual(minutesFrom);
          if (part.by !== "call") expect(step % unit).toBe(0);
        }
        expect(end).toBe(range.to);
        const single = parts.filter(({ by }) => by === "call").reduce((sum, part) => sum + part.to - part.from, 0);
        if (step % HOUR === 0) expect(single).toBeLessThan(minutesFrom === 0 ? 2 * MINUTE : 2 * HOUR);
      },
    ),
  );
});

test("A series has its intervals at multiples of the step, and not too many of them", () => {
  expect(intervalsOf({ from: 3500, to: 6000 }, 2000)).toEqual([2000, 4000]);
  expect(intervalsOf({ from: 5000, to: 5000 }, 2000)).toEqual([]);
  expect(() => intervalsOf({ from: 0, to: 1_001_000 }, 1000)).toThrow(
    "at most 1000 intervals, and this one would have 1001",
  );
  expect(() => intervalsOf({ from: 0, to: 1 }, 0)).toThrow("steps of whole milliseconds");
  expect(() => intervalsOf({ from: 2, to: 1 }, 1000)).toThrow("in this order");
  expect(() => intervalsOf({ from: Number.NaN, to: 1 }, 1000)).toThrow("in this order");
});

test("Lists are written as Postgres reads them", () => {
  expect(arrayOf(["a", null, 'say "hi"', "back\\slash", "{x,y}", "", undefined, "NULL"])).toBe(
    '{"a",NULL,"say \\"hi\\"","back\\\\slash","{x,y}","",NULL,"NULL"}',
  );
  expect(arrayOf([1, -2.5, true, false])).toBe("{1,-2.5,true,false}");
  expect(arrayOf([])).toBe("{}");
});
