import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flatten, type HostileText } from "../../../../test/hostile-texts.ts";
import { findFirstExcess } from "../../../../test/linear-growth.ts";
import { compilePattern } from "../../src/patterns/pattern.ts";
import { UNTRUSTED_LIMITS } from "../../src/read/limits.ts";
import { readSchema } from "../../src/read/read-schema.ts";
import { StepBudget } from "../../src/patterns/step-budget.ts";
import { RANDOM_PATTERN } from "../patterns/random-pattern.ts";
import { CountingBudget, countSteps } from "./count-steps.ts";

/** Shapes that make a backtracking engine take quadratic or exponential time, and harmless ones next to them. */
const SHAPES = [
  "^(a+)+$",
  "^(a|a)*$",
  "^(a|ab)*c$",
  "^(a*)*b",
  "^(?:a?){30}a{30}$",
  "^a*a*a*b$",
  "(a|b)*c",
  "a+$",
  "\\s+$",
  "(?:a+b?)+c",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "^\\S+@\\S+\\.\\S+$",
  "^(?!.*--)[a-z-]+$",
  "(?=.*[A-Z])(?=.*\\d).{8,}",
  "(?<=a*)b",
  "^[a-z0-9]+(-[a-z0-9]+)*$",
  "^(?:[a-z]:\\d+;)*$",
  "^\\w+@\\w+\\.\\w+$",
  "^(?:(?:a|b)c)*d$",
  "^[^a]*a[^b]*b$",
  "[a-z]{3}-",
  "^.{0,99}$",
];

/** With `^` in front, more of them are left to the platform's engine. The seed makes every run look at the same ones. */
const RANDOM = fc
  .sample(RANDOM_PATTERN, { seed: 1, numRuns: 300 })
  .flatMap((source) => [source, `^(?:${source})*$`, `^${source}$`]);

function* makeTexts(): Generator<HostileText> {
  for (const unit of ["a", "b", "ab", "aab", "a-", "a1", "é", "😀", " ", "a@a."]) {
    for (const end of ["", "!", "ab"]) {
      yield [
        `${JSON.stringify(unit)} … ${JSON.stringify(end)}`,
        (length) => flatten(unit.repeat(length / unit.length) + end),
      ];
    }
  }
}

const patterns = [...SHAPES, ...RANDOM].map((source) => compilePattern(source, true));
const native = patterns.filter(({ isNative }) => isNative);
const counted = patterns.filter(({ isNative }) => !isNative);

/** The steps that a value takes by a schema, as long as there is no end to them. */
function countAll(schema: object, value: unknown): number {
  return countSteps(readSchema(schema, { limits: UNTRUSTED_LIMITS, isUntrusted: true }), value, Infinity);
}

describe("the time that a pattern takes for a text", () => {
  it("is measured below for hundreds of patterns on each of both engines", () => {
    expect(native.length).toBeGreaterThan(200);
    expect(counted.length).toBeGreaterThan(200);
  });

  it("is in proportion to the length of the text where the platform's engine is used", () => {
    const unlimited = new StepBudget(Infinity);
    const excesses = native.map((pattern) => {
      const excess = findFirstExcess(makeTexts(), (text) => pattern.test(text, unlimited));
      return excess && `${pattern.source} on ${excess}`;
    });
    expect(excesses.filter((excess) => excess !== undefined)).toEqual([]);
  }, 120_000);

  it("is in proportion to the length of the text, in steps, where our engine is used", () => {
    const excesses = counted.slice(0, 100).flatMap((pattern) =>
      [...makeTexts()].flatMap(([title, make]) => {
        const [few = 0, many = 0] = [100, 400].map((length) => {
          const budget = new CountingBudget(Infinity);
          pattern.test(make(length), budget);
          return budget.spent;
        });
        // Four times as much for four times the text, give or take how it begins and ends. Quadratic is 16 times as much.
        return many <= 6 * few + pattern.size ? [] : [`${pattern.source} on ${title}: ${few} steps, then ${many}`];
      }),
    );
    expect(excesses).toEqual([]);
  }, 120_000);

  it.each(["^(a|ab)*c$", "^[a-z0-9]+(-[a-z0-9]+)*$"])("is in proportion to the length of names, too: %s", (source) => {
    for (const schema of [{ propertyNames: { pattern: source } }, { patternProperties: { [source]: false } }]) {
      const [few = 0, many] = [1_000, 4_000].map((length) => countAll(schema, { ["ab".repeat(length)]: 1 }));
      expect(many).toBeLessThanOrEqual(4 * few);
    }
  });
});
