import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findExcess } from "../../src/messages/find-excess.ts";

describe("a message of another window", () => {
  it("is accepted if it is JSON within the limits", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        fc.pre(!JSON.stringify(value).includes("__proto__"));
        expect(findExcess(value, 1_000_000)).toBeUndefined();
      }),
    );
  });

  it.each([
    [new Map(), "not plain"],
    [new Date(), "not plain"],
    [new Uint8Array(4), "not plain"],
    [[1n], "bigint"],
    [{ a: () => 1 }, "function"],
    [{ a: Symbol("a") }, "symbol"],
    [{ a: Number.NaN }, "a number that JSON has not"],
    [JSON.parse('{ "a": { "__proto__": {} } }'), "__proto__"],
  ])("is refused if it is no JSON", (value, problem) => {
    expect(findExcess(value, 1000)).toContain(problem);
  });

  it("may leave members out by `undefined`, as JSON does", () => {
    expect(findExcess({ a: undefined }, 1000)).toBeUndefined();
  });

  it("is refused as soon as it is too large, whatever its shape", () => {
    for (const value of ["a".repeat(200), Array.from({ length: 200 }), { ["k".repeat(200)]: 1 }, [["a".repeat(200)]]]) {
      expect(findExcess(value, 100)).toBe("it is larger than 100");
    }
    const sparse: unknown[] = [];
    sparse.length = 4_000_000_000;
    expect(findExcess(sparse, 1000)).toBe("it is larger than 1000");
  });

  it("is refused if it is nested too deeply, or contains itself", () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(findExcess(loop, 1_000_000)).toBe("it is nested deeper than 50");
    let deep: unknown = 1;
    for (let depth = 0; depth < 50; depth += 1) deep = [deep];
    expect(findExcess(deep, 1_000_000)).toBeUndefined();
    expect(findExcess([deep], 1_000_000)).toBe("it is nested deeper than 50");
  });
});
