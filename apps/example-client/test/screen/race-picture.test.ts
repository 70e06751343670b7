import { describe, expect, test } from "vitest";
import { createPaint } from "../../src/printing/paint.ts";
import { cut, LiveRegion } from "../../src/screen/live-region.ts";
import { drawRace } from "../../src/screen/race-picture.ts";
import { toOrdinal, wrap } from "../../src/screen/words.ts";
import { Journal } from "../../src/show/journal.ts";

function raceWith(answered: readonly number[]): Journal {
  const journal = new Journal();
  journal.isOpen = true;
  for (let id = 2; id < 26; id++) journal.sent(id);
  for (const id of answered) journal.answered(id, false);
  return journal;
}

describe("the picture of the race", () => {
  const lanes = [
    { name: "stdio", journal: raceWith([4, 3]) },
    { name: "http", journal: raceWith([]) },
  ] as const;
  const scene = { lanes, startedAt: 0, now: performance.now(), spanMs: 1600, columns: 80, rows: 24 };
  const lines = drawRace(scene, createPaint(false));

  test("shows all calls in the order sent, and which of them are answered", () => {
    expect(lines[0]).toContain(" stdio      ·■■·····················  2 of 24 answered, 2 out of order");
    expect(lines[1]).toContain(" http       ························  0 of 24 answered, 0 out of order");
  });

  test("shows some of them along the time axis, with their place in both orders", () => {
    expect(lines.find((line) => line.includes("#4 "))).toMatch(/● \d\.\d{3} s, sent 3rd, answered 1st$/);
    expect(lines.find((line) => line.startsWith(" http"))).toBeDefined();
  });

  test.each([
    [80, 24],
    [200, 60],
    [40, 10],
  ])("fits a terminal of %d by %d", (columns, rows) => {
    const drawn = drawRace({ ...scene, columns, rows }, createPaint(true)).map((line) => cut(line, columns - 1));
    // oxlint-disable-next-line no-control-regex -- colours begin with the escape character
    const widths = drawn.map((line) => line.replaceAll(/\u001B\[\d+m/g, "").length);
    expect(Math.max(...widths)).toBeLessThan(columns);
    expect(drawn.length).toBeLessThanOrEqual(Math.max(rows - 3, 7));
  });
});

test("a live region is drawn in place, and leaves the cursor as it was", () => {
  let written = "";
  let frame = 0;
  const canvas = { columns: 20, rows: 10, write: (text: string) => void (written += text) };
  const region = new LiveRegion(canvas, () => [`frame ${frame++}`, "a line that is longer than the terminal"]);
  region.end();
  expect(written).toBe(
    "\u001B[?25l" +
      "\rframe 0\u001B[K\n\ra line that is long\u001B[K\n" +
      "\u001B[2A\rframe 1\u001B[K\n\ra line that is long\u001B[K\n" +
      "\u001B[?25h",
  );
});

test("words", () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111].map(toOrdinal)).toEqual(
    "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 101st 111th".split(" "),
  );
  expect(wrap("one two three four", 9)).toEqual(["one two", "three", "four"]);
});
