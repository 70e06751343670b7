import { compileLinearRegExp, type LinearRegExp } from "./linear-regexp.ts";
import { findFlags } from "./parse.ts";
import { StepsExhausted, type StepBudget } from "./step-budget.ts";

/** A regular expression of a schema, ready to use. */
export interface Pattern {
  readonly source: string;
  /** What it takes in memory, in small objects. */
  readonly size: number;
  /** Whether the platform's engine matches it, which takes about a nanosecond for a character. Ours takes a hundred. */
  readonly isNative: boolean;
  test(text: string, budget: StepBudget): boolean;
}

/** How many steps of a pattern the platform's engine keeps in the memory of one small object. */
const STEPS_PER_OBJECT = 10;

/** How often the platform's engine may come back to a character: a repetition with bounds can end in so many places. */
const MAX_TRIES = 1_000;
const TRIES_PER_STEP = 64;

/**
 * Compiles a pattern so that no text can make it hang: the platform's engine is used where it provably cannot, ours
 * everywhere else. What ours does not support (backreferences) is refused in an untrusted schema, and otherwise left to
 * the platform.
 *
 * @throws Error that says what is wrong with the pattern
 */
export function compilePattern(source: string, isUntrusted: boolean): Pattern {
  let linear: LinearRegExp;
  try {
    linear = compileLinearRegExp(source);
  } catch (error) {
    if (isUntrusted) throw error;
    return useNative(source, findFlags(source), undefined);
  }
  const { size, flags, isBacktrackSafe } = linear;
  if (isBacktrackSafe) return useNative(source, flags, size);
  return { source, size, isNative: false, test: (text, budget) => linear.test(text, budget) };
}

/** `linearSize` is how many steps our own engine would have for the pattern, if it supports it. */
function useNative(source: string, flags: string, linearSize: number | undefined): Pattern {
  const native = new RegExp(source, flags);
  const steps = linearSize ?? 1;
  return {
    source,
    size: Math.ceil(steps / STEPS_PER_OBJECT),
    isNative: true,
    test(text, budget) {
      const tries = Math.min(steps, text.length, MAX_TRIES);
      budget.spend((text.length + 1) * (1 + Math.floor(tries / TRIES_PER_STEP)));
      try {
        return native.test(text);
      } catch {
        // For some megabytes of text, it may have no memory left to note where to go back to. Ours needs none.
        if (linearSize === undefined) throw new StepsExhausted();
        return compileLinearRegExp(source).test(text, budget);
      }
    },
  };
}
