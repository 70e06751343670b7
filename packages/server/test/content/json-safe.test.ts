import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonSafe } from "../../src/content/tool-result.ts";

describe("isJsonSafe", () => {
  it("says yes to everything that comes out of JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isJsonSafe(value)).toBe(true);
      }),
    );
  });

  it("says yes only to what comes out of JSON as it went in", () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        if (!isJsonSafe(value)) return;
        const written: unknown = JSON.parse(JSON.stringify(value));
        // Apart from prototypes, and from the sign of 0, which nothing in JSON Schema asks for.
        expect(written).toEqual(value);
      }),
    );
  });

  it.each<[string, unknown]>([
    ["what writes itself as something else", { toJSON: () => 1 }],
    ["what does so behind everybody's back", Object.defineProperty({}, "toJSON", { value: () => 1 })],
    ["a list that does", Object.assign([1], { toJSON: () => 2 })],
    [
      "an instance of a class",
      new (class Point {
        x = 1;
      })(),
    ],
    ["a list with holes", [1, , 3]], // oxlint-disable-line no-sparse-arrays -- this is what is tested.
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["nothing", undefined],
  ])("says no to %s", (_what, value) => {
    expect(isJsonSafe(value)).toBe(false);
    expect(isJsonSafe({ deep: [{ down: value }] })).toBe(false);
  });

  it("says no to what is nested in itself", () => {
    const knot: { self?: unknown } = {};
    knot.self = [knot];
    expect(isJsonSafe(knot)).toBe(false);
  });
});
