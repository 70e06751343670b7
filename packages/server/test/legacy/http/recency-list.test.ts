import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Place, RecencyList } from "../../../src/legacy/http/recency-list.ts";

describe("RecencyList", () => {
  test("keeps the order that a Set has whose members are deleted and added again", () => {
    const step = fc.record({ isUsed: fc.boolean(), member: fc.nat({ max: 5 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const places = Array.from({ length: 6 }, (_, member) => new Place(member));
        const list = new RecencyList<number>();
        const set = new Set<number>();
        for (const { isUsed, member } of steps) {
          set.delete(member);
          if (isUsed) set.add(member);
          if (isUsed) list.use(places[member]!);
          else list.delete(places[member]!);
          expect([...list]).toEqual([...set]);
          expect(list.oldest).toBe([...set][0]);
        }
      }),
    );
  });

  test("can lose the current member during iteration", () => {
    const places = ["a", "b", "c"].map((member) => new Place(member));
    const list = new RecencyList<string>();
    for (const place of places) list.use(place);
    const seen = [];
    for (const member of list) {
      seen.push(member);
      list.delete(places.find((place) => place.member === member)!);
    }
    expect(seen).toEqual(["a", "b", "c"]);
    expect([...list]).toEqual([]);
  });
});
