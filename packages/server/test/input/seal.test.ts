import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, readSecrets, StateSeal } from "../../src/input/seal.ts";

const make = (secret?: string | Uint8Array): StateSeal => new StateSeal(readSecrets(secret), 1000);
const seal = make("k".repeat(32));

describe("a seal", () => {
  test("opens in its own context, for as long as it lasts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string(), async (value, context) => {
        const sealed = await seal.seal(value, context, 5000);
        expect(sealed).toMatch(/^[\w-]+$/);
        expect(await seal.open(sealed, context, 5999)).toStrictEqual({ value: JSON.parse(JSON.stringify(value)) });
        expect(await seal.open(sealed, context, 6000)).toBeUndefined();
        expect(await seal.open(sealed, `${context}x`, 5001)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  test("does not survive the change of a single character, nor an addition or a cut", async () => {
    const sealed = await seal.seal({ a: 1 }, "c", 0);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(sealed.length - 1),
        fc.constantFrom("A", "z", "0", "-", "_", "=", "+", "/", " ", "\u0000", "é"),
        async (index, character) => {
          fc.pre(sealed[index] !== character);
          expect(await seal.open(sealed.slice(0, index) + character + sealed.slice(index + 1), "c", 1)).toBeUndefined();
          expect(await seal.open(sealed.slice(0, index), "c", 1)).toBeUndefined();
          expect(await seal.open(sealed + character, "c", 1)).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
  });

  test("opens nothing that was made up", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), async (text) => {
        expect(await seal.open(text, "c")).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  test("is different each time", async () => {
    expect(await seal.seal(1, "c")).not.toBe(await seal.seal(1, "c"));
  });

  test("keys may be bytes, and random ones differ", async () => {
    const bytes = make(new Uint8Array(32).fill(7));
    expect(await bytes.open(await bytes.seal("x", "c"), "c")).toStrictEqual({ value: "x" });
    const [one, two] = [make(), make()];
    const sealed = await one.seal("x", "c");
    expect(await one.open(sealed, "c")).toStrictEqual({ value: "x" });
    expect(await two.open(sealed, "c")).toBeUndefined();
  });
});

test("canonical JSON does not depend on the order of members, and tells different values apart", () => {
  const shuffle = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffle);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, member]) => [key, shuffle(member)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const [one, two] = [JSON.parse(JSON.stringify(a)) as unknown, JSON.parse(JSON.stringify(b)) as unknown];
      expect(canonicalJson(shuffle(one))).toBe(canonicalJson(one));
      expect(JSON.parse(canonicalJson(one))).toStrictEqual(one);
      if (canonicalJson(one) === canonicalJson(two)) expect(one).toStrictEqual(two);
    }),
  );
});
