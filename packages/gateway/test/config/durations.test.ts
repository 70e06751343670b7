import fc from "fast-check";
import { expect, test } from "vitest";
import { readDuration } from "../../src/config/durations.ts";

test.each([
  ["500ms", 500],
  ["30s", 30_000],
  ["1.5s", 1500],
  ["1.125s", 1125],
  ["5m", 300_000],
  ["12h", 43_200_000],
  ["30d", 2_592_000_000],
])("the duration %s is %d milliseconds", (text, milliseconds) => {
  expect(readDuration(text)).toBe(milliseconds);
});

test("a number is a number of milliseconds", () => {
  expect(readDuration(250)).toBe(250);
  expect(readDuration(0)).toBe(0);
});

test.each(["", "30", "30 s", "30S", "s", "-5s", "1e3s", "30sec", "99999999999s", "NaN"])(
  "the text %j is no duration",
  (text) => {
    expect(readDuration(text)).toBeUndefined();
  },
);

test("any number of whole seconds is read as it was written", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999 }), (seconds) => {
      expect(readDuration(`${seconds}s`)).toBe(seconds * 1000);
    }),
  );
});

test("numbers that are no time are refused", () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1]) expect(readDuration(value)).toBeUndefined();
});
