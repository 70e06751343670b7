import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { formatAxisTimes } from "../../page/src/charts/axis-times.ts";
import { fade, readColor } from "../../page/src/charts/colors.ts";
import {
  hasCalls,
  placesOfPoints,
  stackOutcomes,
  stepTo,
  sumOutcomes,
  wholeIntervals,
} from "../../page/src/charts/points.ts";
import { keepRoundValues, roundRange } from "../../page/src/charts/scale.ts";
import { drawSparkline } from "../../page/src/charts/sparkline-path.ts";
import { OUTCOME_ORDER } from "../../page/src/format/outcomes.ts";
import type { SeriesView } from "../../src/admin/views.ts";

function seriesOf(...byOutcome: SeriesView["points"][number]["byOutcome"][]): SeriesView {
  const points = byOutcome.map((counts, index) => {
    const calls = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { at: index * 1000, calls, failures: calls - (counts.ok ?? 0), byOutcome: counts, bytes: 0 };
  });
  return { from: 0, to: points.length * 1000, step: 1000, points };
}

describe("values that a line does not show", () => {
  test("A single value is a point, wherever it is", () => {
    expect(placesOfPoints([null, null, 5, null])).toEqual([2]);
    expect(placesOfPoints([5])).toEqual([0]);
    expect(placesOfPoints([5, undefined, 0, null, 7])).toEqual([0, 2, 4]);
  });

  test("Two or three side by side are points as well, and four are a line", () => {
    expect(placesOfPoints([1, 2, null, 1, 2, 3])).toEqual([0, 1, 3, 4, 5]);
    expect(placesOfPoints([1, 2, 3, 4])).toEqual([]);
    expect(placesOfPoints([null, 1, 2, 3, 4, null, 1])).toEqual([6]);
    expect(placesOfPoints([])).toEqual([]);
  });
});

describe("bars that are stacked", () => {
  test("Each bar ends at the sum of those up to it", () => {
    const stacked = stackOutcomes(seriesOf({ ok: 5, cancelled: 2, error: 1 }, {}));
    expect(stacked).toHaveLength(OUTCOME_ORDER.length);
    expect([stacked[0], stacked[1], stacked[2], stacked.at(-1)]).toEqual([
      [5, 0],
      [7, 0],
      [7, 0],
      [8, 0],
    ]);
  });

  test("The legend has the outcomes that occurred, in the order of the stack", () => {
    expect(sumOutcomes(seriesOf({ error: 1, ok: 5 }, { ok: 2 }))).toEqual([
      ["ok", 7],
      ["error", 1],
    ]);
  });

  test("There is something to draw as soon as one interval has a call", () => {
    expect(hasCalls(seriesOf({}, { ok: 1 }))).toBe(true);
    expect(hasCalls(seriesOf({}, {}))).toBe(false);
  });
});

describe("the pointer of a chart", () => {
  test("The arrow keys begin at an end, go from interval to interval, and stop at the ends", () => {
    expect([stepTo(undefined, 1, 10), stepTo(undefined, -1, 10)]).toEqual([0, 9]);
    expect([stepTo(3, 1, 10), stepTo(3, -1, 10), stepTo(3, 8, 10), stepTo(3, -8, 10)]).toEqual([4, 2, 9, 0]);
  });

  test("A part that was dragged becomes whole intervals around it", () => {
    expect(wholeIntervals(1500, 3200, 1000)).toEqual({ from: 1000, to: 4000 });
    expect(wholeIntervals(1000, 3000, 1000)).toEqual({ from: 1000, to: 3000 });
  });
});

describe("logarithmic scales", () => {
  test.each([
    [90, 144, [50, 200]],
    [1, 10, [1, 10]],
    [3, 480, [2, 500]],
    [7, 900, [5, 1000]],
    [null, null, [1, 10]],
    [20, 20, [10, 40]],
    [21, 21, [20, 50]],
    [0, 100, [0.01, 100]],
    [0, 0, [0.005, 0.02]],
  ])("From %s to %s, the scale is %j", (min, max, expected) => {
    const [low, high] = roundRange(min, max);
    expect(low).toBeCloseTo(expected[0] ?? 0, 9);
    expect(high).toBeCloseTo(expected[1] ?? 0, 9);
  });

  test("Every value is on the scale, and the scale is never empty", () => {
    const value = fc.double({ min: 0, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(value, value, (one, other) => {
        const [min, max] = [Math.min(one, other), Math.max(one, other)];
        const [low, high] = roundRange(min, max);
        expect(low).toBeLessThan(high);
        expect(low).toBeGreaterThan(0);
        expect(low).toBeLessThanOrEqual(Math.max(min, 0.01) * (1 + 1e-9));
        expect(high).toBeGreaterThanOrEqual(max * (1 - 1e-9));
      }),
    );
  });

  test("Lines are at 1, 2 and 5 times the powers of ten, and at those alone if the scale is wide", () => {
    const splits = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30];
    expect(keepRoundValues(splits)).toEqual([1, 2, null, null, 5, null, null, null, null, 10, 20, null]);
    expect(keepRoundValues([1, 2, 5, 10, 20, 50, 100, 200, 300])).toEqual([1, 2, 5, 10, 20, 50, 100, 200, null]);
    expect(keepRoundValues([1, 2, 5, 10, 20, 50, 100, 200, 500])).toEqual([
      1,
      null,
      null,
      10,
      null,
      null,
      100,
      null,
      null,
    ]);
    expect(keepRoundValues([0.1, 0.2, 0.3])).toEqual([0.1, 0.2, null]);
    expect(keepRoundValues([])).toEqual([]);
  });
});

describe("times on an axis", () => {
  const noon = new Date(2026, 6, 28, 12, 5, 30).getTime() / 1000;
  const midnight = new Date(2026, 6, 28).getTime() / 1000;

  test("They have seconds where intervals are short, and the day at midnight or where intervals are long", () => {
    expect(formatAxisTimes([noon], 30)).toEqual(["12:05:30"]);
    expect(formatAxisTimes([noon], 60)).toEqual(["12:05"]);
    expect(formatAxisTimes([noon], 86_399)).toEqual(["12:05"]);
    expect(formatAxisTimes([noon], 86_400)).toEqual(["28 Jul"]);
    expect(formatAxisTimes([midnight, midnight + 30, midnight + 3600, midnight + 60], 30)).toEqual([
      "28 Jul",
      "00:00:30",
      "01:00:00",
      "00:01:00",
    ]);
  });
});

describe("small lines beside figures", () => {
  test("A line goes from edge to edge, with the largest value at the top and 0 at the bottom", () => {
    const paths = drawSparkline([0, 5, 10, 0]);
    expect(paths?.line).toBe("M0.0 26.0L40.0 14.0L80.0 2.0L120.0 26.0");
    expect(paths?.area).toBe("M0.0 26.0L40.0 14.0L80.0 2.0L120.0 26.0L120.0 28L0.0 28Z");
  });

  test("A gap is left out, and the area begins and ends with the line", () => {
    const paths = drawSparkline([undefined, 1, 1, 1, 1]);
    expect(paths?.line).toBe("M30.0 2.0L60.0 2.0L90.0 2.0L120.0 2.0");
    expect(paths?.area).toMatch(/L120\.0 28L30\.0 28Z$/);
  });

  test("Up to three values are points that keep clear of the edges", () => {
    expect(drawSparkline([undefined, 4, undefined])).toEqual({ line: "M60.0 4.0h0", area: undefined });
    expect(drawSparkline([4])).toEqual({ line: "M117.0 4.0h0", area: undefined });
    expect(drawSparkline([4, undefined, 2])).toEqual({ line: "M3.0 4.0h0M117.0 16.0h0", area: undefined });
    expect(drawSparkline([1, 1, 1])?.area).toBeUndefined();
    expect(drawSparkline([1, 1, 1, 1])?.area).toBeDefined();
  });

  test("Nothing is drawn of nothing, and of zeros a line at the bottom", () => {
    expect(drawSparkline([])).toBeUndefined();
    expect(drawSparkline([undefined])).toBeUndefined();
    expect(drawSparkline([0, 0, 0, 0])?.line).toBe("M0.0 26.0L40.0 26.0L80.0 26.0L120.0 26.0");
  });
});

describe("colours", () => {
  afterEach(() => void vi.unstubAllGlobals());

  test("A colour is what the browser makes of the variable of the style sheet, and nothing is left in the page", () => {
    const body: unknown[] = [];
    vi.stubGlobal("document", {
      createElement: () => ({ style: {}, remove: () => body.pop() }),
      body: { append: (element: unknown) => body.push(element) },
    });
    vi.stubGlobal("getComputedStyle", (element: { style: { color: string } }) => {
      expect(body).toEqual([element]);
      return { color: `computed ${element.style.color}` };
    });
    expect(readColor("p50")).toBe("computed var(--p50)");
    expect(body).toEqual([]);
    expect(fade("red", 0.164)).toBe("color-mix(in srgb, red 16%, transparent)");
  });
});
