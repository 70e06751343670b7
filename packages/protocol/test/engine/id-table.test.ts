import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IdTable } from "../../src/engine/in-flight.ts";

type Step = { readonly action: "set" | "delete"; readonly id: string | number };

/** Mostly small numbers, which share slots; some that look alike in their last bits, and strings. */
const id = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -5, max: 40 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 20 }).map((high) => high * 1024 + 3) },
  { weight: 1, arbitrary: fc.maxSafeInteger() },
  { weight: 1, arbitrary: fc.constantFrom("3", "a", "") },
);
const step: fc.Arbitrary<Step> = fc.record({ action: fc.constantFrom("set", "delete"), id });

describe("IdTable", () => {
  it("does what a Map does", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const table = new IdTable<{ number: number }>();
        const map = new Map<string | number, { number: number }>();
        for (const [number, { action, id: key }] of steps.entries()) {
          if (action === "set") {
            table.set(key, { number });
            map.set(key, { number });
          } else expect(table.delete(key)).toBe(map.delete(key));
          expect([table.size, table.get(key)]).toEqual([map.size, map.get(key)]);
        }
        for (const [key, value] of map) expect(table.get(key)).toEqual(value);
        const drained = table.drain().toSorted((a, b) => a.number - b.number);
        expect(drained).toEqual([...map.values()].toSorted((a, b) => a.number - b.number));
        expect(table.size).toBe(0);
      }),
    );
  });

  it("finds no entry for any value that is not an id", () => {
    const table = new IdTable<{ number: number }>();
    for (const number of [0, 1, 2]) table.set(number, { number });
    const strangers: unknown[] = [{ valueOf: 1, toString: 1 }, [{ toString: 1 }], [1], null, undefined, true, 1.5, NaN];
    for (const stranger of strangers) {
      expect(table.get(stranger as number)).toBeUndefined();
      expect(table.delete(stranger as number)).toBe(false);
    }
    expect(table.size).toBe(3);
  });

  it("takes more than it has slots", () => {
    const table = new IdTable<{ number: number }>();
    for (let number = 0; number < 5000; number += 1) table.set(number, { number });
    expect(table.size).toBe(5000);
    for (let number = 0; number < 5000; number += 1) expect(table.get(number)).toEqual({ number });
  });
});
