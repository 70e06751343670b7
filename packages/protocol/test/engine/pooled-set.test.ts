import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PooledSet, type Pooled } from "../../src/engine/in-flight.ts";

interface Member extends Pooled {
  readonly number: number;
}

const step = fc.record({ action: fc.constantFrom("add", "delete"), number: fc.integer({ min: 0, max: 9 }) });

describe("PooledSet", () => {
  it("does what a Set does, but for the order", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const members = Array.from({ length: 10 }, (_, number): Member => ({ number }));
        const pooled = new PooledSet<Member>();
        const set = new Set<Member>();
        for (const { action, number } of steps) {
          const member = members[number] as Member;
          if (action === "delete") expect(pooled.delete(member)).toBe(set.delete(member));
          else {
            pooled.add(member);
            set.add(member);
          }
          expect(pooled.size).toBe(set.size);
        }
        const numbers = (found: Iterable<Member>): number[] =>
          Array.from(found, (each) => each.number).toSorted((a, b) => a - b);
        expect(numbers(pooled.list())).toEqual(numbers(set));
      }),
    );
  });

  it("can lose members during iteration of the list", () => {
    const pooled = new PooledSet<Member>();
    for (let number = 0; number < 5; number += 1) pooled.add({ number });
    const seen = pooled.list().map((member) => pooled.delete(member));
    expect(seen).toEqual([true, true, true, true, true]);
    expect(pooled.size).toBe(0);
  });
});
