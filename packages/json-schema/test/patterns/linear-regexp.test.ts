import { createContext, Script } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileLinearRegExp } from "../../src/patterns/pattern.ts";
import { StepBudget, StepsExhausted } from "../../src/patterns/step-budget.ts";
import { UnsupportedPattern } from "../../src/patterns/parse.ts";
import { RANDOM_PATTERN } from "./random-pattern.ts";

const PLENTY = 5_000_000;

class CountedSteps extends StepBudget {
  taken = 0;

  constructor() {
    super(Infinity);
  }

  override spend(steps: number): void {
    this.taken += steps;
  }
}

function matches(pattern: string, text: string, steps = PLENTY): boolean {
  return compileLinearRegExp(pattern).test(text, new StepBudget(steps));
}

/** How many milliseconds the platform's engine may take for one text. Random patterns can take it years. */
const NATIVE_MS = 250;

/**
 * Matches with the platform's engine; `undefined` if that takes too long. V8 also searches between the two halves of a
 * surrogate pair, which ECMA-262 does not, so the positions are tried one by one.
 */
const nativeMatch = new Script(`{
  const native = new RegExp(source, "uy");
  let position = 0;
  [...sample, ""].some((character) => {
    native.lastIndex = position;
    position += character.length;
    return native.test(sample);
  });
}`);
const nativeContext = createContext({ source: "", sample: "" });

function matchesNatively(source: string, sample: string): boolean | undefined {
  Object.assign(nativeContext, { source, sample });
  try {
    return nativeMatch.runInContext(nativeContext, { timeout: NATIVE_MS }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}

/** The texts on which the two engines disagree, as far as the platform's has an answer. */
function findDisagreements(source: string, texts: readonly string[]): string[] {
  const linear = compileLinearRegExp(source);
  return texts.filter((sample) => {
    const expected = matchesNatively(source, sample);
    return expected !== undefined && expected !== linear.test(sample, new StepBudget(PLENTY));
  });
}

const text = fc.string({
  unit: fc.constantFrom("a", "a", "b", "b", "1", " ", ".", "é", "😀", "\n", "-", "]", "\ud83d"),
  maxLength: 12,
});

describe("a linear regular expression", () => {
  it("agrees with the platform's engine on random patterns and texts", () => {
    fc.assert(
      fc.property(RANDOM_PATTERN, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        expect(findDisagreements(source, texts)).toEqual([]);
      }),
      {
        numRuns: 500,
      },
    );
  });

  it("agrees with the platform's engine on lookarounds within lookarounds", () => {
    const looks = fc.letrec<{ pattern: string; part: string }>((tie) => ({
      pattern: fc.array(tie("part"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
      part: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom("a", "b*", ".", "😀?", "^", "$", "\\b", "[^a]+", "(?:a|b)", "(?:a|)+"),
        fc
          .tuple(fc.constantFrom("(?=", "(?!", "(?<=", "(?<!"), tie("pattern"))
          .map(([opening, body]) => `${opening}${body})`),
        fc
          .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}"))
          .map(([body, quantifier]) => `(?:${body})${quantifier}`),
      ),
    })).pattern;
    fc.assert(
      fc.property(looks, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        expect(findDisagreements(source, texts)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["^[a-z]+$", "abc", true],
    ["^[a-z]+$", "abc1", false],
    ["b", "abc", true],
    ["^$", "", true],
    ["", "anything", true],
    ["^(?:\\+|00)[1-9]\\d{1,14}$", "+491711234567", true],
    ["^(?<year>\\d{4})-(?<month>\\d{2})$", "2026-07", true],
    ["^(?!-)[a-z-]{1,63}(?<!-)$", "a-b", true],
    ["^(?!-)[a-z-]{1,63}(?<!-)$", "a-", false],
    ["^\\p{Lu}\\P{Lu}*$", "Émile", true],
    ["^.$", "😀", true],
    ["^[]$", "", false],
    ["^[^]$", "\n", true],
    // Only valid without the `u` flag, but widespread.
    ["^[^\\@]+\\@.+$", "😀@😀", true],
    ["^[^\\@]+\\@\\W$", "a@😀", true],
    ["^[^\\@]+\\@\\w$", "a@😀", false],
    ["\\@\\ud83d\\ude00$", "@😀", true],
    ["^\\d{4}\\-\\d{2}$", "2026-07", true],
    ["^[\\w-.]+\\@example\\.org$", "a.b-c@example.org", true],
    ["^a{,2}$", "a{,2}", true],
  ])("%s on %j: %s", (source, sample, expected) => {
    expect(matches(source, sample)).toBe(expected);
  });

  it.each([
    ["^(a)\\1$", "backreference"],
    ["^(?<x>a)\\k<x>$", "backreference"],
    ["a\\Z", "escape"],
    ["(", "Unterminated group"],
    ["(?P<name>a)", "Invalid group"],
    ["a{2,1}", "numbers out of order"],
    [`${"(?:".repeat(200)}a${")".repeat(200)}`, "nested"],
    ["((a{100}){100}){100}", "10000"],
    ["a{0,99999999}", "10000"],
  ])("refuses %s", (source, reason) => {
    expect(() => compileLinearRegExp(source)).toThrow(UnsupportedPattern);
    expect(() => compileLinearRegExp(source)).toThrow(reason);
  });

  it("takes steps in proportion to the text where backtracking takes exponentially many", () => {
    for (const source of ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*)*x$", "(x+x+)+y", "^(?:a?){30}a{30}$"]) {
      const hostile = `${source.includes("x") ? "x".repeat(2_000) : "a".repeat(2_000)}!`;
      expect(matches(source, hostile, 400 * hostile.length)).toBe(false);
    }
  });

  it.each([
    ["(?=.*[A-Z])(?=.*\\d).{8,}", "a"],
    ["(?=a*b)c", "a"],
    ["(?<=b[^c]*)c", "a"],
    ["(?:(?!.*b)a)*c", "a"],
    ["(?=(?:a(?=a*b))*c)", "a"],
    ["^(?:(?=.*x)a){20}b", "a"],
  ])("looks around in steps that grow with the text, not with its square: %s", (source, character) => {
    const linear = compileLinearRegExp(source);
    const count = (length: number): number => {
      const budget = new CountedSteps();
      expect(linear.test(character.repeat(length), budget)).toBe(false);
      return budget.taken;
    };
    expect(count(4_000)).toBeLessThanOrEqual(4 * count(1_000) + linear.size);
    expect(count(4_000)).toBeLessThanOrEqual(4_001 * 3 * linear.size);
  });

  it("stops when its steps are used up", () => {
    const { test } = compileLinearRegExp("^(?:(?=.*b)a)*$");
    expect(() => test("a".repeat(10_000), new StepBudget(1_000))).toThrow(StepsExhausted);
  });

  it("repeats nothing without end in no time", () => {
    expect(matches("^(?:){1000000000}(?:(?:)*)*$", "", 100)).toBe(true);
  });

  it.each([
    ["^[a-z]+$", true],
    ["^\\d{4}-\\d{2}-\\d{2}$", true],
    ["^(?:metric|imperial)$", true],
    ["^https?://", true],
    ["abc", true],
    ["[a-z]+", false],
    ["^(a+)+$", false],
    ["^(a|a)*$", false],
    ["^\\s*\\w*\\s*$", false],
    ["^(?:a?){30}a{30}$", false],
    ["^a{0,1000}a{0,1000}$", false],
    ["^(?=a)", false],
    ["^[a-z]{0,999}$", true],
    ["[A-Z]{2,5}-", true],
    ["[a-z]{0,999}-", false],
    ["^a?a?a?a?a?a*b", false],
    ["a{9000}b", false],
    ["^a*a{9000}b", false],
    ["^https://example\\.org/[\\w-]+$", true],
    ["^[a-z0-9]+(-[a-z0-9]+)*$", true],
    ["^\\w+@\\w+\\.\\w+$", true],
    ["^-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$", true],
    ["^(?:[A-Z]\\w*\\.)*[^.]$", false],
    ["^(?:a*b)*c$", true],
    ["^(?:[^;]*;)*$", true],
    ["^(?:[^;]*;)*[^,]$", false],
    ["^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$", false],
    ["^(?:.*,)*x", false],
    ["^\\S*\\s\\S*$", false],
    ["^é+ü+$", false],
    ["^[a-z]+\\p{L}*$", false],
    ["^(?:a|ab)*$", false],
    ["^(?:a|b)*a$", false],
    ["^(?:a?b?)*c$", false],
    ["^(?:(?:)|a|b){40}c*d*$", false],
    ["[a-z0-9]+(-[a-z0-9]+)*$", false],
    ["^(?:a|^[b-z]+)*-$", false],
  ])("says of %s whether backtracking is safe: %s", (source, expected) => {
    expect(compileLinearRegExp(source).isBacktrackSafe).toBe(expected);
  });
});
